// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include <Kokkos_Core.hpp>

#include <app/checkpoint/checkpoint.hpp>
#include <app/solve/solve.hpp>
#include <app/solve/solve_typed.hpp>
#include <tessera/solve.hpp>

namespace tessera::app {
namespace {

template <class Exec, class T>
void solve_on(LeastSquaresOptions const& options, SolveRequest const& request,
              solve::NormalOperator<Exec, T> const& op, VectorOfFile const& b, std::int64_t j,
              LeastSquaresSolution& solution) {
  io::HostVector const b_j = part_of(b.x, b.columns, j);
  auto const right = vector_on<Exec, T>(std::get<io::VectorView<T>>(b_j));
  io::MatrixInfo const& info = request.reader.info();
  std::int64_t const limit = limit_of(options, info);
  StoppingBounds const bounds = stopping_bounds(options, io::scalar_type<T>);
  solve::LeastSquaresOptions<Exec, T> how{.damp = damp_of(options),
                                          .atol = bounds.atol,
                                          .btol = bounds.btol,
                                          .conlim = bounds.conlim,
                                          .history = b.columns == 1};
  bool const directly = is_direct(options, info);
  bool const is_named =
      options.method == LeastSquaresMethod::lsmr || options.method == LeastSquaresMethod::lsqr;
  bool const is_lsqr = options.method == LeastSquaresMethod::lsqr;
  if (directly) {
    how.direct = op.cols();
  } else {
    how.maxiter = limit;
  }
  double const lambda = options.lambda.value_or(options.damp * options.damp);
  std::string const chosen = lambda > 0 ? "ridge" : "lstsq";
  std::string const name =
      is_named ? is_lsqr ? "lsqr" : "lsmr" : (directly ? "direct " : "") + chosen;
  SolveRun run;
  StateSubject const subject{.name = name,
                             .b = b_j,
                             .options = "damp " + shortest(damp_of(options)),
                             .limits = "atol " + shortest(bounds.atol) + ", btol " +
                                       shortest(bounds.btol) + ", conlim " +
                                       shortest(bounds.conlim)};
  auto result =
      run_solver<T>(options, request, subject, limit, run, [&](solve::Control<T> const& control) {
        if (!is_named && lambda > 0) return solve::ridge(op, right, lambda, how, control);
        if (!is_named) return solve::lstsq(op, right, how, control);
        return is_lsqr ? solve::lsqr(op, right, how, control)
                       : solve::lsmr(op, right, how, control);
      });
  run.take(result);
  solution.run.add(std::move(run), j == 0);
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
  io::HostVector const x_j = part_of(solution.x, b.columns, j);
  Kokkos::deep_copy(std::get<io::VectorView<T>>(x_j), result.x);
}

}  // namespace

double damp_of(LeastSquaresOptions const& options) {
  return options.lambda ? std::sqrt(*options.lambda) : options.damp;
}

StoppingBounds stopping_bounds(LeastSquaresOptions const& options, io::ScalarType type) {
  bool const is_named =
      options.method == LeastSquaresMethod::lsmr || options.method == LeastSquaresMethod::lsqr;
  double const precision = is_named ? 1e-6 : rounding_of(type);
  return {options.atol.value_or(precision), options.btol.value_or(precision),
          options.conlim.value_or(is_named || damp_of(options) > 0 ? 1e8 : 0)};
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
                              io::ScalarType type) {
  return is_direct(options, info) ? gram_bytes(info, type, 1) : 0;
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
  solve::detail::GramProducts<Exec, double> products;
  products.cols = static_cast<std::int64_t>(info.cols) + more;
  products.PT = solve::ConstRows<Exec, double>(nullptr, static_cast<std::size_t>(products.cols), 1);
  auto const rows = static_cast<std::int64_t>(std::min(info.rows, info.rows / blocks + 1));
  // Eigenvectors and factors on the host.
  std::uint64_t const small = 12 * info.cols * info.cols * sizeof(double);
  return solve::detail::GramSums<Exec, double>::bytes(products, rows,
                                                      static_cast<std::int64_t>(blocks)) +
         small;
}

std::uint64_t vector_bytes(LeastSquaresOptions const& options, io::MatrixInfo const& info,
                           io::ScalarType type, std::int64_t right_sides) {
  // With a penalty, three vectors have additional rows below A's.
  std::uint64_t const run = 4 * info.rows + 15 * info.cols;
  std::uint64_t const state = options.checkpoint.empty() ? 0 : info.rows + 5 * info.cols;
  // Solutions are stored as vectors and, to be written, as a matrix.
  std::uint64_t const others =
      static_cast<std::uint64_t>(right_sides - 1) * (info.rows + 2 * info.cols);
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
        auto const size = static_cast<std::size_t>(op.cols() * b.columns);
        solution.x = io::VectorView<T>(
            Kokkos::view_alloc("tessera::app::solutions", Kokkos::WithoutInitializing), size);
        for (std::int64_t j = 0; j < b.columns; ++j) solve_on(options, request, op, b, j, solution);
      });
  return solution;
}

}  // namespace tessera::app
