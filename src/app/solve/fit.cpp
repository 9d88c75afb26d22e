// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include <app/base/sha256.hpp>
#include <app/run/input.hpp>
#include <app/solve/solve.hpp>
#include <app/solve/solve_typed.hpp>
#include <tessera/solve.hpp>

namespace tessera::app {
namespace {

template <class Exec, class T>
solve::Regression<Exec, T> call(RegressionLoss loss, std::int64_t predictors,
                                solve::NormalOperator<Exec, T> const& op,
                                solve::Observations<Exec, T> const& rows,
                                solve::RegressionOptions const& how,
                                solve::Control<T> const& control) {
  if (predictors > 1) return solve::multinomial_regression(op, rows, predictors, how, control);
  switch (loss) {
    case RegressionLoss::linear:
      return solve::linear_regression(op, rows, how, control);
    case RegressionLoss::logistic:
      return solve::logistic_regression(op, rows, how, control);
    case RegressionLoss::poisson:
      return solve::poisson_regression(op, rows, how, control);
    case RegressionLoss::gamma:
      return solve::gamma_regression(op, rows, how, control);
    case RegressionLoss::tweedie:
      return solve::tweedie_regression(op, rows, how, control);
  }
  return {};
}

solve::RegressionSolver solver_of(FitSolver solver) {
  switch (solver) {
    case FitSolver::automatic:
      return solve::RegressionSolver::automatic;
    case FitSolver::newton:
      return solve::RegressionSolver::newton;
    case FitSolver::newton_cg:
      return solve::RegressionSolver::newton_cg;
    case FitSolver::lbfgs:
      return solve::RegressionSolver::lbfgs;
  }
  return solve::RegressionSolver::automatic;
}

solve::Loss loss_of(RegressionLoss loss, std::int64_t predictors) {
  return predictors > 1                     ? solve::Loss::multinomial
         : loss == RegressionLoss::linear   ? solve::Loss::squares
         : loss == RegressionLoss::logistic ? solve::Loss::logistic
         : loss == RegressionLoss::poisson  ? solve::Loss::poisson
         : loss == RegressionLoss::gamma    ? solve::Loss::gamma
                                            : solve::Loss::tweedie;
}

std::string state_options(FitOptions const& options, FitRows const& rows) {
  std::string text = "penalty " + shortest(options.penalty);
  if (options.power) text += ", power " + shortest(*options.power);
  if (rows.weights) text += ", weights " + sha256(elements(*rows.weights));
  if (rows.offset) text += ", offset " + sha256(elements(*rows.offset));
  return text;
}

template <class Exec, class T>
solve::Values<Exec, T> optional_on(std::optional<io::HostVector> const& x) {
  return x ? vector_on<Exec, T>(std::get<io::VectorView<T>>(*x)) : solve::Values<Exec, T>{};
}

template <class Exec, class T>
void solve_on(FitOptions const& options, SolveRequest const& request,
              solve::NormalOperator<Exec, T> const& op, FitRows const& rows, Fit& fit) {
  solve::Observations<Exec, T> const observed{
      .y = vector_on<Exec, T>(std::get<io::VectorView<T>>(rows.y)),
      .weights = optional_on<Exec, T>(rows.weights),
      .offset = optional_on<Exec, T>(rows.offset)};
  solve::RegressionOptions const how{.penalty = options.penalty,
                                     .has_intercept = options.has_intercept,
                                     .power = options.power.value_or(1.5),
                                     .tol = options.tol,
                                     .solver = solver_of(options.solver),
                                     .maxiter = limit_of(options),
                                     .keep_history = true};
  std::int64_t const predictors = rows.predictors();
  bool const by_newton =
      predictors > 1 || solve::solver_of(how, op.cols()) == solve::RegressionSolver::newton;
  StateSubject const subject{
      .name = solve::detail::name_of(
          loss_of(options.loss, predictors),
          by_newton ? solve::RegressionSolver::newton : solve::solver_of(how, op.cols())),
      .variant = options.has_intercept ? "" : " without an intercept",
      .b = rows.y,
      .options = state_options(options, rows),
      .limits = "tol " + shortest(options.tol)};
  auto result = run_solver<T>(options, request, subject, how.maxiter, fit.run,
                              [&](solve::Control<T> const& control) {
                                return call(options.loss, predictors, op, observed, how, control);
                              });
  fit.run.take(result);
  fit.x = vector_on_host<T>(result.x);
  fit.intercept = result.intercept;
  fit.intercepts = result.intercepts;
  fit.loss = result.loss;
  fit.gradient_norm = result.gradient_norm;
  fit.run.detail = result.detail;
  fit.quantity = result.quantity;
  fit.bound = result.bound;
  fit.is_newton = by_newton;
  fit.deviance = result.deviance;
  fit.aic = result.aic;
  fit.rank = result.rank;
  fit.dispersion = result.dispersion;
  fit.standard_errors = result.standard_errors;
}

}  // namespace

std::int64_t limit_of(FitOptions const& options) {
  return options.maxiter.value_or(100);
}

bool is_by_newton(FitOptions const& options, io::MatrixInfo const& info) {
  solve::RegressionOptions const how{.solver = solver_of(options.solver)};
  return solve::solver_of(how, static_cast<std::int64_t>(info.cols)) ==
         solve::RegressionSolver::newton;
}

std::int64_t most_classes(io::MatrixInfo const& info) {
  auto const of_class = static_cast<std::int64_t>(info.cols) + 1;
  return std::max(std::int64_t{2}, solve::detail::most_class_parameters / of_class);
}

std::uint64_t vector_bytes(FitOptions const& options, io::MatrixInfo const& info,
                           io::ScalarType type, std::int64_t predictors) {
  std::uint64_t const vectors =
      1 + (options.weights.empty() ? 0U : 1U) + (options.offset.empty() ? 0U : 1U);
  if (is_by_newton(options, info)) {
    // These vectors three times (on the host in both types, and in the solver); the Hessian, its
    // factor and their sums.
    std::uint64_t const parameters = static_cast<std::uint64_t>(predictors) * (info.cols + 1);
    std::uint64_t const square = parameters * (parameters + 5);
    return 3 * vectors * info.rows * sizeof(double) + 8 * square * sizeof(double);
  }
  // These vectors on the host and in the solver. L-BFGS keeps ten steps and changes of the
  // gradient.
  bool const is_lbfgs = options.solver == FitSolver::lbfgs;
  std::uint64_t const run = (11 + vectors) * info.rows + (is_lbfgs ? 32 : 12) * info.cols;
  std::uint64_t const of_state = is_lbfgs ? 22 * info.cols : info.rows + info.cols;
  std::uint64_t const state = options.checkpoint.empty() ? 0 : of_state;
  return (run + state) * io::size_of(type) + vectors * info.rows * sizeof(double);
}

Fit find_fit(FitOptions const& options, SolveRequest const& request, FitRows const& rows) {
  Fit fit;
  solve_with(request, fit.run, [&]<class Exec, class T>(solve::NormalOperator<Exec, T> const& op) {
    solve_on(options, request, op, rows, fit);
  });
  return fit;
}

}  // namespace tessera::app
