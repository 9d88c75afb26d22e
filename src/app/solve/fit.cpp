// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <utility>
#include <variant>

#include <app/solve/solve.hpp>
#include <app/solve/solve_typed.hpp>
#include <tessera/solve.hpp>

namespace tessera::app {
namespace {

template <class Exec, class T>
solve::Regression<Exec, T> call(RegressionLoss loss, solve::NormalOperator<Exec, T> const& op,
                                solve::Values<Exec, T> const& y,
                                solve::RegressionOptions const& how,
                                solve::Control<T> const& control) {
  switch (loss) {
    case RegressionLoss::linear:
      return solve::linear_regression(op, y, how, control);
    case RegressionLoss::logistic:
      return solve::logistic_regression(op, y, how, control);
    case RegressionLoss::poisson:
      return solve::poisson_regression(op, y, how, control);
  }
  return {};
}

std::string name_of_states(FitOptions const& options) {
  std::string const by = options.solver == FitSolver::lbfgs ? " by lbfgs" : "";
  switch (options.loss) {
    case RegressionLoss::linear:
      return "linear_regression" + by;
    case RegressionLoss::logistic:
      return "logistic_regression" + by;
    case RegressionLoss::poisson:
      return "poisson_regression" + by;
  }
  return "";
}

template <class Exec, class T>
void solve_on(FitOptions const& options, SolveRequest const& request,
              solve::NormalOperator<Exec, T> const& op, io::HostVector const& y, Fit& fit) {
  auto const labels = vector_on<Exec, T>(std::get<io::VectorView<T>>(y));
  solve::RegressionOptions const how{.penalty = options.penalty,
                                     .has_intercept = options.has_intercept,
                                     .tol = tolerance_of(options, request.type),
                                     .solver = options.solver == FitSolver::lbfgs
                                                   ? solve::RegressionSolver::lbfgs
                                                   : solve::RegressionSolver::newton_cg,
                                     .maxiter = limit_of(options),
                                     .keep_history = true};
  auto result = run_solver<T>(options, request, name_of_states(options),
                              options.has_intercept ? "" : " without an intercept", y, how.maxiter,
                              fit.run, [&](solve::Control<T> const& control) {
                                return call(options.loss, op, labels, how, control);
                              });
  fit.run.take(result);
  fit.x = vector_on_host<T>(result.x);
  fit.intercept = result.intercept;
  fit.loss = result.loss;
  fit.gradient_norm = result.gradient_norm;
}

}  // namespace

std::int64_t limit_of(FitOptions const& options) {
  return options.maxiter.value_or(100);
}

std::uint64_t vector_bytes(FitOptions const& options, io::MatrixInfo const& info,
                           io::ScalarType type) {
  // y on the host and with the solver; of L-BFGS, the last ten steps and what the gradient did.
  bool const is_lbfgs = options.solver == FitSolver::lbfgs;
  std::uint64_t const run = 9 * info.rows + (is_lbfgs ? 30 : 8) * info.cols;
  std::uint64_t const of_state = is_lbfgs ? 22 * info.cols : info.rows + info.cols;
  std::uint64_t const state = options.checkpoint.empty() ? 0 : of_state;
  return (run + state) * io::size_of(type);
}

Fit find_fit(FitOptions const& options, SolveRequest const& request, io::HostVector const& y) {
  Fit fit;
  solve_with(request, fit.run, [&]<class Exec, class T>(solve::NormalOperator<Exec, T> const& op) {
    solve_on(options, request, op, y, fit);
  });
  return fit;
}

}  // namespace tessera::app
