// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include <Kokkos_Core.hpp>

#include <app/checkpoint/checkpoint.hpp>
#include <app/solve/solve.hpp>
#include <app/solve/solve_typed.hpp>
#include <tessera/solve.hpp>

namespace tessera::app {
namespace {

/// Scalars of a right-hand side's run. With a penalty, three vectors have additional rows below
/// A's.
std::uint64_t scalars_of_run(io::MatrixInfo const& info) {
  return 4 * info.rows + 15 * info.cols;
}

template <class Exec, class T>
void add_result(LeastSquaresSolution& solution, std::int64_t columns,
                solve::LeastSquares<Exec, T> const& result) {
  solution.facts.push_back({.stop = result.stop,
                            .iterations = result.iterations,
                            .reads = result.reads,
                            .normr = result.normr,
                            .normar = result.normar,
                            .norma = result.norma,
                            .conda = result.conda,
                            .normx = result.normx,
                            .rank = result.rank,
                            .has_scaled_columns = result.has_scaled_columns});
  auto const j = static_cast<std::int64_t>(solution.facts.size()) - 1;
  io::HostVector const x_j = part_of(solution.x, columns, j);
  Kokkos::deep_copy(std::get<io::VectorView<T>>(x_j), result.x);
}

/// A result for each penalty.
template <class Exec, class T, class Vector>
std::vector<solve::LeastSquares<Exec, T>> path_of(LeastSquaresOptions const& options,
                                                  solve::NormalOperator<Exec, T> const& op,
                                                  Vector const& b,
                                                  solve::LeastSquaresOptions<Exec, T> const& how,
                                                  solve::Control<T> const& control) {
  bool const is_lsqr = options.method == LeastSquaresMethod::lsqr;
  if (!is_lsqr && options.method != LeastSquaresMethod::lsmr) {
    return solve::ridge_path(op, b, options.lambdas, how, control);
  }
  solve::ConstValues<Exec, T> const right(b.data(), b.extent(0));
  std::vector<solve::detail::Problem<Exec, T>> const problems{
      {&op, right, how.x0, damps_of(options)}};
  return is_lsqr ? solve::detail::run_lsqr<Exec, T>(problems, how, control)
                 : solve::detail::run_lsmr<Exec, T>(problems, how, control);
}

/// The right-hand sides, or the penalties, share the reads of the matrix.
template <class Exec, class T>
void solve_on(LeastSquaresOptions const& options, SolveRequest const& request,
              solve::NormalOperator<Exec, T> const& op, VectorOfFile const& b, std::int64_t first,
              std::int64_t count, LeastSquaresSolution& solution) {
  io::HostVector const b_j = part_of(b.x, b.columns, first);
  Kokkos::View<T**, Kokkos::LayoutLeft, typename Exec::memory_space> const right(
      Kokkos::view_alloc("tessera::app::right_sides", Kokkos::WithoutInitializing),
      static_cast<std::size_t>(op.rows()), static_cast<std::size_t>(count));
  for (std::int64_t j = 0; j < count; ++j) {
    io::HostVector const from = part_of(b.x, b.columns, first + j);
    Kokkos::deep_copy(Kokkos::subview(right, Kokkos::ALL, j), std::get<io::VectorView<T>>(from));
  }
  auto const single = Kokkos::subview(right, Kokkos::ALL, 0);
  io::MatrixInfo const& info = request.reader.info();
  std::int64_t const limit = limit_of(options, info);
  StoppingBounds const bounds = stopping_bounds(options, io::scalar_type<T>);
  std::vector<double> const damps = damps_of(options);
  solve::LeastSquaresOptions<Exec, T> how{.damp = damps.front(),
                                          .atol = bounds.atol,
                                          .btol = bounds.btol,
                                          .conlim = bounds.conlim,
                                          .history = b.columns == 1 && !is_path(options)};
  bool const directly = is_direct(options, info);
  bool const is_named =
      options.method == LeastSquaresMethod::lsmr || options.method == LeastSquaresMethod::lsqr;
  bool const is_lsqr = options.method == LeastSquaresMethod::lsqr;
  if (directly) {
    how.direct = op.cols();
  } else {
    how.maxiter = limit;
    how.at_once = right_sides_at_once(options, info, io::scalar_type<T>,
                                      static_cast<std::int64_t>(damps.size()));
  }
  double const lambda =
      options.lambdas.empty() ? options.damp * options.damp : options.lambdas.front();
  bool const is_penalised = lambda > 0 || is_path(options);
  std::string const chosen = is_penalised ? "ridge" : "lstsq";
  std::string const name =
      is_named ? is_lsqr ? "lsqr" : "lsmr" : (directly ? "direct " : "") + chosen;
  std::string penalties;
  for (double const damp : damps) penalties += (penalties.empty() ? "" : ", ") + shortest(damp);
  SolveRun run;
  StateSubject const subject{.name = name,
                             .b = b_j,
                             .options = "damp " + penalties,
                             .limits = "atol " + shortest(bounds.atol) + ", btol " +
                                       shortest(bounds.btol) + ", conlim " +
                                       shortest(bounds.conlim)};
  std::vector<solve::LeastSquares<Exec, T>> others;
  auto result =
      run_solver<T>(options, request, subject, limit, run, [&](solve::Control<T> const& control) {
        if (count == 1 && !is_path(options)) {
          if (!is_named && is_penalised) return solve::ridge(op, single, lambda, how, control);
          if (!is_named) return solve::lstsq(op, single, how, control);
          return is_lsqr ? solve::lsqr(op, single, how, control)
                         : solve::lsmr(op, single, how, control);
        }
        if (is_path(options)) {
          others = path_of(options, op, single, how, control);
        } else {
          others = is_lsqr        ? solve::lsqr(op, right, how)
                   : is_named     ? solve::lsmr(op, right, how)
                   : is_penalised ? solve::ridge(op, right, lambda, how, control)
                                  : solve::lstsq(op, right, how, control);
        }
        auto front = std::move(others.front());
        others.erase(others.begin());
        return front;
      });
  run.take(result);
  // They share passes over A.
  for (auto const& other : others)
    run.iterations = std::max(run.iterations, std::int64_t{other.iterations});
  solution.run.add(std::move(run), first == 0);
  std::int64_t const solutions = solutions_of(options, b.columns);
  add_result(solution, solutions, result);
  for (auto& other : others) {
    SolveRun of_column;
    of_column.take(other);
    of_column.iterations = 0;  // counted by the first
    of_column.reads = 0;
    solution.run.add(std::move(of_column), false);
    add_result(solution, solutions, other);
  }
}

}  // namespace

std::vector<double> damps_of(LeastSquaresOptions const& options) {
  if (options.lambdas.empty()) return {options.damp};
  std::vector<double> damps(options.lambdas.size());
  std::ranges::transform(options.lambdas, damps.begin(),
                         [](double lambda) { return std::sqrt(lambda); });
  return damps;
}

std::int64_t solutions_of(LeastSquaresOptions const& options, std::int64_t right_sides) {
  return is_path(options) ? static_cast<std::int64_t>(options.lambdas.size()) : right_sides;
}

StoppingBounds stopping_bounds(LeastSquaresOptions const& options, io::ScalarType type) {
  bool const is_named =
      options.method == LeastSquaresMethod::lsmr || options.method == LeastSquaresMethod::lsqr;
  bool const is_penalised =
      std::ranges::any_of(damps_of(options), [](double damp) { return damp > 0; });
  double const precision = is_named ? 1e-6 : rounding_of(type);
  return {options.atol.value_or(precision), options.btol.value_or(precision),
          options.conlim.value_or(is_named || is_penalised ? 1e8 : 0)};
}

bool is_direct(LeastSquaresOptions const& options, io::MatrixInfo const& info) {
  if (options.method != LeastSquaresMethod::automatic) {
    return options.method == LeastSquaresMethod::direct;
  }
  return static_cast<solve::Index>(info.cols) <= solve::direct_columns && !options.maxiter &&
         !continues_iterations(options);
}

std::int64_t limit_of(LeastSquaresOptions const& options, io::MatrixInfo const& info) {
  if (options.maxiter) return *options.maxiter;
  auto const rows = static_cast<std::int64_t>(info.rows);
  auto const cols = static_cast<std::int64_t>(info.cols);
  if (is_direct(options, info)) return 3;
  if (options.method == LeastSquaresMethod::lsqr) return 2 * cols;
  return std::max<std::int64_t>(10 * std::min(rows, cols), 100);
}

std::uint64_t bytes_in_memory(LeastSquaresOptions const& options, io::MatrixInfo const& info,
                              io::ScalarType type, std::int64_t right_sides) {
  if (!is_direct(options, info)) return 0;
  return gram_bytes(info, type, right_sides_at_once(options, info, type, right_sides));
}

std::int64_t right_sides_at_once(LeastSquaresOptions const& options, io::MatrixInfo const& info,
                                 io::ScalarType type, std::int64_t right_sides) {
  constexpr std::int64_t most = 16;
  std::uint64_t const bytes = scalars_of_run(info) * io::size_of(type);
  std::uint64_t const fit = options.memory_limit / 4 / std::max<std::uint64_t>(bytes, 1);
  std::int64_t const at_once = options.memory_limit == 0
                                   ? most
                                   : static_cast<std::int64_t>(std::min<std::uint64_t>(fit, most));
  return std::clamp<std::int64_t>(at_once, 1, std::max<std::int64_t>(right_sides, 1));
}

bool continues_iterations(SolveOptions const& options) {
  if (options.checkpoint.empty()) return false;
  auto const file = CheckpointFile::open(options.checkpoint);
  return file && !file->job().state.operation.starts_with("direct ");
}

std::uint64_t gram_bytes(io::MatrixInfo const& info, io::ScalarType type, std::int64_t more) {
  constexpr std::uint64_t bytes_of_block = std::uint64_t{64} << 20U;
  std::uint64_t const bytes = info.elements() * io::size_of(type);
  std::uint64_t const blocks = 1 + bytes / bytes_of_block;
  using Exec = Kokkos::DefaultHostExecutionSpace;
  auto const cols = static_cast<std::int64_t>(info.cols) + more;
  auto const rows = static_cast<std::int64_t>(std::min(info.rows, info.rows / blocks + 1));
  // Eigenvectors and factors on the host.
  std::uint64_t const small = 12 * info.cols * info.cols * sizeof(double);
  return solve::detail::GramSums<Exec, double>::bytes(cols, cols, rows,
                                                      static_cast<std::int64_t>(blocks)) +
         small;
}

std::uint64_t vector_bytes(LeastSquaresOptions const& options, io::MatrixInfo const& info,
                           io::ScalarType type, std::int64_t right_sides) {
  std::int64_t const solutions = solutions_of(options, right_sides);
  auto const penalties = static_cast<std::uint64_t>(damps_of(options).size());
  // The direct method corrects all penalties in one read.
  auto const at_once =
      static_cast<std::uint64_t>(is_path(options) && is_direct(options, info)
                                     ? solutions
                                     : right_sides_at_once(options, info, type, solutions));
  // Each penalty has x and two more vectors, also if a Krylov space is shared.
  std::uint64_t const run = at_once * scalars_of_run(info) + (penalties - 1) * 3 * info.cols;
  std::uint64_t const state =
      options.checkpoint.empty() ? 0 : info.rows + (2 + 3 * penalties) * info.cols;
  // Solutions are stored as vectors and, to be written, as a matrix.
  std::uint64_t const others = static_cast<std::uint64_t>(right_sides - 1) * info.rows +
                               static_cast<std::uint64_t>(solutions - 1) * 2 * info.cols;
  return (run + state + others) * io::size_of(type);
}

io::HostVector part_of(io::HostVector const& vectors, std::int64_t columns, std::int64_t j) {
  return std::visit(
      [&]<class T>(io::VectorView<T> const& all) -> io::HostVector {
        std::size_t const size = all.size() / static_cast<std::size_t>(columns);
        return io::VectorView<T>(all, std::pair(size * static_cast<std::size_t>(j),
                                                size * static_cast<std::size_t>(j + 1)));
      },
      vectors);
}

LeastSquaresSolution solve_least_squares(LeastSquaresOptions const& options,
                                         SolveRequest const& request, VectorOfFile const& b) {
  LeastSquaresSolution solution;
  solve_with(
      request, solution.run, [&]<class Exec, class T>(solve::NormalOperator<Exec, T> const& op) {
        auto const size = static_cast<std::size_t>(op.cols() * solutions_of(options, b.columns));
        solution.x = io::VectorView<T>(
            Kokkos::view_alloc("tessera::app::solutions", Kokkos::WithoutInitializing), size);
        std::int64_t const together =
            right_sides_at_once(options, request.reader.info(), request.type, b.columns);
        for (std::int64_t j = 0; j < b.columns; j += together) {
          solve_on(options, request, op, b, j, std::min(together, b.columns - j), solution);
        }
      });
  return solution;
}

}  // namespace tessera::app
