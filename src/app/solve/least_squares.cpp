// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include <Kokkos_Core.hpp>

#include <app/solve/solve.hpp>
#include <app/solve/solve_typed.hpp>
#include <tessera/solve.hpp>

namespace tessera::app {
namespace {

/// Solves for right-hand side j of `b`, into its place in x.
template <class Exec, class T>
void solve_on(LeastSquaresOptions const& options, SolveRequest const& request,
              solve::NormalOperator<Exec, T> const& op, VectorOfFile const& b, std::int64_t j,
              LeastSquaresSolution& solution) {
  io::HostVector const b_j = part_of(b.x, b.columns, j);
  auto const right = vector_on<Exec, T>(std::get<io::VectorView<T>>(b_j));
  std::int64_t const limit = limit_of(options, request.reader.info());
  solve::LeastSquaresOptions<Exec, T> const how{.damp = damp_of(options),
                                                .atol = options.atol,
                                                .btol = options.btol,
                                                .conlim = options.conlim,
                                                .maxiter = limit,
                                                .history = b.columns == 1};
  bool const is_lsmr = options.method == LeastSquaresMethod::lsmr;
  SolveRun run;
  StateSubject const subject{.name = is_lsmr ? "lsmr" : "lsqr",
                             .b = b_j,
                             .options = "damp " + shortest(damp_of(options)),
                             .limits = "atol " + shortest(options.atol) + ", btol " +
                                       shortest(options.btol) + ", conlim " +
                                       shortest(options.conlim)};
  auto result =
      run_solver<T>(options, request, subject, limit, run, [&](solve::Control<T> const& control) {
        return is_lsmr ? solve::lsmr(op, right, how, control)
                       : solve::lsqr(op, right, how, control);
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
                            .normx = result.normx});
  io::HostVector const x_j = part_of(solution.x, b.columns, j);
  Kokkos::deep_copy(std::get<io::VectorView<T>>(x_j), result.x);
}

}  // namespace

double damp_of(LeastSquaresOptions const& options) {
  return options.lambda ? std::sqrt(*options.lambda) : options.damp;
}

std::int64_t limit_of(LeastSquaresOptions const& options, io::MatrixInfo const& info) {
  if (options.maxiter) return *options.maxiter;
  auto const rows = static_cast<std::int64_t>(info.rows);
  auto const cols = static_cast<std::int64_t>(info.cols);
  return options.method == LeastSquaresMethod::lsmr ? std::min(rows, cols) : 2 * cols;
}

std::uint64_t vector_bytes(LeastSquaresOptions const& options, io::MatrixInfo const& info,
                           io::ScalarType type, std::int64_t right_sides) {
  std::uint64_t const run = 4 * info.rows + 6 * info.cols;
  std::uint64_t const state = options.checkpoint.empty() ? 0 : info.rows + 4 * info.cols;
  // Solutions are there twice where they are written: one after the other, and as a matrix.
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
