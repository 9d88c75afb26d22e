// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <variant>

#include <app/solve/least_squares.hpp>
#include <app/solve/progress.hpp>
#include <tessera/solve.hpp>

namespace tessera::app {
namespace {

template <class Exec, class T>
void solve_on(LeastSquaresOptions const& options, SolveRequest const& request,
              solve::NormalOperator<Exec, T> const& op, io::HostVector const& b,
              LeastSquaresSolution& solution) {
  auto const right = vector_on<Exec, T>(std::get<io::VectorView<T>>(b));
  std::int64_t const limit = limit_of(options, request.reader.info());
  solve::LeastSquaresOptions<Exec, T> const how{.damp = damp_of(options),
                                                .atol = options.atol,
                                                .btol = options.btol,
                                                .conlim = options.conlim,
                                                .maxiter = limit,
                                                .history = true};
  bool const is_lsmr = options.method == LeastSquaresMethod::lsmr;
  auto result = run_solver<T>(options, request, is_lsmr ? "lsmr" : "lsqr", "", b, limit,
                              solution.run, [&](solve::Control<T> const& control) {
                                return is_lsmr ? solve::lsmr(op, right, how, control)
                                               : solve::lsqr(op, right, how, control);
                              });
  solution.run.take(result);
  solution.x = vector_on_host<T>(result.x);
  solution.normr = result.normr;
  solution.normar = result.normar;
  solution.norma = result.norma;
  solution.conda = result.conda;
  solution.normx = result.normx;
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
                           io::ScalarType type) {
  std::uint64_t const run = 4 * info.rows + 6 * info.cols;
  std::uint64_t const state = options.checkpoint.empty() ? 0 : info.rows + 4 * info.cols;
  return (run + state) * io::size_of(type);
}

LeastSquaresSolution solve_least_squares(LeastSquaresOptions const& options,
                                         SolveRequest const& request, io::HostVector const& b) {
  LeastSquaresSolution solution;
  solve_with(request, solution.run,
             [&]<class Exec, class T>(solve::NormalOperator<Exec, T> const& op) {
               solve_on(options, request, op, b, solution);
             });
  return solution;
}

}  // namespace tessera::app
