// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/compiled.hpp>
#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/operator.hpp>
#include <tessera/solve/regression_iterative.hpp>
#include <tessera/solve/regression_newton.hpp>
#include <tessera/solve/regression_observations.hpp>
#include <tessera/solve/regression_targets.hpp>
#include <tessera/solve/regression_types.hpp>
#include <tessera/solve/values.hpp>

namespace tessera::solve {

inline RegressionSolver solver_of(RegressionOptions const& options, Index cols) {
  if (options.solver != RegressionSolver::automatic) return options.solver;
  return cols <= options.most_gram_cols ? RegressionSolver::newton : RegressionSolver::newton_cg;
}

namespace detail {

template <class Exec, class T>
void require_classes(Index cols, Index classes, Observations<Exec, T> const& observed,
                     RegressionOptions const& options) {
  char const* const name = name_of(Loss::multinomial);
  auto const solver = options.solver;
  if (classes < 2) {
    checks::fail(name, "expected at least 2 classes, found " + std::to_string(classes));
  }
  if (classes > most_class_parameters / (cols + 1)) {
    checks::fail(name, "expected at most " + std::to_string(most_class_parameters) +
                           " parameters, found " + std::to_string(classes) + " classes of " +
                           std::to_string(cols + 1) + ": fit each class against the others");
  }
  if (solver != RegressionSolver::automatic && solver != RegressionSolver::newton) {
    checks::fail(name, "expected the solver newton, the only one for several classes");
  }
  if (observed.offset.extent(0) != 0) {
    checks::fail(name, "expected no offset: it is the same for all classes, and changes nothing");
  }
}

inline void require_options(Loss loss, RegressionOptions const& options) {
  if (!(options.penalty >= 0) || !(options.tol >= 0) || options.maxiter < 0 ||
      options.max_products < 0 || options.most_gram_cols < 0) {
    checks::fail(
        name_of(loss),
        "penalty, tol, maxiter, max_products and most_gram_cols must be at least 0, found " +
            std::to_string(options.penalty) + ", " + std::to_string(options.tol) + ", " +
            std::to_string(options.maxiter) + ", " + std::to_string(options.max_products) +
            " and " + std::to_string(options.most_gram_cols));
  }
  if (loss == Loss::tweedie && !(options.power > 1 && std::isfinite(options.power))) {
    checks::fail(name_of(loss), "expected a power above 1, found " + text_of(options.power) +
                                    "; a power of 1 is poisson_regression");
  }
}

/// `observed` may be y alone.
template <class Exec, class T>
Observations<Exec, T> observed_in(Observations<Exec, T> const& observed) {
  return observed;
}
template <class Exec, class T>
Observations<Exec, T> observed_in(ConstValues<Exec, T> const& y) {
  return {.y = y};
}

template <class Exec, class T>
Regression<Exec, T> run_regression(Loss loss, NormalOperator<Exec, T> const& op,
                                   Observations<Exec, T> const& observed,
                                   RegressionOptions const& options, Control<T> const& control,
                                   Index classes) {
  require_options(loss, options);
  if (loss == Loss::multinomial) require_classes(op.cols(), classes, observed, options);
  op.agree(name_of(loss), [&] {
    Exec const& exec = op.exec();
    return digest_of(control)
        .add(options.penalty, options.has_intercept, options.tol, static_cast<int>(options.solver))
        .add(power_of(loss, options.power), classes)
        .add(options.maxiter, options.max_products, options.most_gram_cols)
        .add(to_host<Exec, T>(exec, observed.y))
        .add(to_host<Exec, T>(exec, observed.weights))
        .add(to_host<Exec, T>(exec, observed.offset))
        .value();
  });
  RegressionOptions chosen = options;
  chosen.solver =
      loss == Loss::multinomial ? RegressionSolver::newton : solver_of(options, op.cols());
  if (chosen.solver == RegressionSolver::newton) {
    return NewtonRun<Exec, T>(loss, op, observed, chosen, control, classes)();
  }
  return IterativeRun<Exec, T>(loss, op, observed, chosen, control)();
}

/// Linear regressions of the rows of YT.
template <class Exec, class T>
std::vector<Regression<Exec, T>> run_targets(NormalOperator<Exec, T> const& op,
                                             ConstRows<Exec, T> const& YT,
                                             ConstValues<Exec, T> const& weights,
                                             std::vector<double> const& penalties,
                                             RegressionOptions const& options,
                                             Control<T> const& control) {
  char const* const name = name_of(Loss::squares);
  std::size_t const targets = YT.extent(0);
  if (!penalties.empty() && penalties.size() != targets) {
    checks::fail(name, "expected one penalty for each of " + std::to_string(targets) +
                           " targets, found " + std::to_string(penalties.size()));
  }
  if (static_cast<Index>(YT.extent(1)) != op.rows()) {
    checks::fail(name, "y must have " + std::to_string(op.rows()) + " entries, found " +
                           std::to_string(YT.extent(1)));
  }
  if (control.on_state || control.resume != nullptr) {
    checks::fail(name, "expected no states: several targets have none");
  }
  std::vector<RegressionOptions> of_targets(targets, options);
  for (std::size_t j = 0; j < targets; ++j) {
    if (!penalties.empty()) of_targets[j].penalty = penalties[j];
    of_targets[j].solver = solver_of(options, op.cols());
    require_options(Loss::squares, of_targets[j]);
  }
  if (solver_of(options, op.cols()) != RegressionSolver::newton) {
    std::vector<Regression<Exec, T>> results;
    Index const reads_before = op.reads();
    for (std::size_t j = 0; j < targets; ++j) {
      Observations<Exec, T> const observed{.y = row<Exec, T const>(YT, static_cast<Index>(j)),
                                           .weights = weights};
      results.push_back(
          run_regression<Exec, T>(Loss::squares, op, observed, of_targets[j], control, 1));
    }
    for (auto& result : results) result.reads = op.reads() - reads_before;
    return results;
  }
  op.agree(name, [&] {
    Exec const& exec = op.exec();
    tessera::detail::Digest digest = digest_of(control);
    for (RegressionOptions const& each : of_targets) digest.add(each.penalty);
    return digest.add(options.has_intercept, options.tol, options.maxiter)
        .add(to_host<Exec, T>(exec, flat(YT)))
        .add(to_host<Exec, T>(exec, weights))
        .value();
  });
  return TargetsRun<Exec, T>(op, YT, weights, of_targets, control)();
}

}  // namespace detail

/// Minimises Σ w_i·(η_i - y_i)²/2 + λ·‖x‖²/2 over x and an intercept,
/// with η = A·x + intercept + offset
///
/// A is m x n, one observation per row. `observed` has y, weights (empty: 1) and offset (empty: 0),
/// of m entries each, or is y alone.
/// Methods, passes, convergence and statistics: docs/guide/regression.md, docs/stopping.md.
///
/// Memory: `newton` 2(n+1)(n+6) doubles per level of a tree over blocks of rows, `newton_cg` 9m +
/// 9n scalars, `lbfgs` 9m + 29n.
/// @throws std::invalid_argument for invalid sizes, labels, weights, options and states
///
/// Source: iteratively reweighted least squares (Green, J. R. Stat. Soc. B 46, 1984); Newton
/// decrement (Boyd and Vandenberghe, Convex Optimization, 2004); truncated Newton (Dembo and
/// Steihaug, Math. Program. 26, 1983); L-BFGS (Liu and Nocedal, Math. Program. 45, 1989); weak
/// Wolfe conditions by bisection (Lewis and Overton, Math. Program. 141, 2013).
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// tessera::solve::MatrixOperator const op(Kokkos::DefaultExecutionSpace(), A);
/// Kokkos::View<double*> y("y", 1000), w("w", 1000);
/// auto const fit = tessera::solve::linear_regression(op, {.y = y, .weights = w});
/// ```
template <ExecutionSpace Exec, Scalar T, class Observed = Observations<Exec, T>>
Regression<Exec, T> linear_regression(NormalOperator<Exec, T> const& op, Observed const& observed,
                                      RegressionOptions const& options = {},
                                      std::type_identity_t<Control<T>> const& control = {}) {
  return detail::run_regression<Exec, T>(Loss::squares, op, detail::observed_in<Exec, T>(observed),
                                         options, control, 1);
}

/// Fits each column of Y, m x k, as `linear_regression` does, with the same bits: returns k results
///
/// With at most `most_gram_cols` columns of A, all fits share their reads. `reads` of each
/// result counts all of them. Memory: k·m doubles more than for one column. `weights` has an
/// entry per row, and is 1 if empty. `penalties` has a λ per column of Y; empty: the penalty of
/// `options`. `control` must have no states.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30), Y("Y", 1000, 5);
/// tessera::solve::MatrixOperator const op(Kokkos::DefaultExecutionSpace(), A);
/// auto const fits = tessera::solve::linear_regressions(op, Y);  // fits[j].x, fits[j].intercept
/// ```
template <ExecutionSpace Exec, Scalar T, Matrix Targets>
  requires AccessibleFrom<Targets, Exec> &&
           std::is_same_v<typename Targets::non_const_value_type, T>
std::vector<Regression<Exec, T>> linear_regressions(
    NormalOperator<Exec, T> const& op, Targets const& Y,
    std::type_identity_t<ConstValues<Exec, T>> const& weights = {},
    std::vector<double> const& penalties = {}, RegressionOptions const& options = {},
    std::type_identity_t<Control<T>> const& control = {}) {
  return detail::run_targets<Exec, T>(op, detail::columns_as_rows<T>(op.exec(), Y), weights,
                                      penalties, options, control);
}

/// As `linear_regression`, with Σ w_i·(log(1 + e^η_i) - y_i·η_i) for labels y of 0 and 1.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// tessera::solve::MatrixOperator const op(Kokkos::DefaultExecutionSpace(), A);
/// Kokkos::View<double*> y("y", 1000);
/// auto const fit = tessera::solve::logistic_regression(op, y, {.penalty = 1.0});
/// ```
template <ExecutionSpace Exec, Scalar T, class Observed = Observations<Exec, T>>
Regression<Exec, T> logistic_regression(NormalOperator<Exec, T> const& op, Observed const& observed,
                                        RegressionOptions const& options = {},
                                        std::type_identity_t<Control<T>> const& control = {}) {
  return detail::run_regression<Exec, T>(Loss::logistic, op, detail::observed_in<Exec, T>(observed),
                                         options, control, 1);
}

/// As `linear_regression`, with Σ w_i·(e^η_i - y_i·η_i) for counts y. The logarithm of an exposure
/// is an offset.
template <ExecutionSpace Exec, Scalar T, class Observed = Observations<Exec, T>>
Regression<Exec, T> poisson_regression(NormalOperator<Exec, T> const& op, Observed const& observed,
                                       RegressionOptions const& options = {},
                                       std::type_identity_t<Control<T>> const& control = {}) {
  return detail::run_regression<Exec, T>(Loss::poisson, op, detail::observed_in<Exec, T>(observed),
                                         options, control, 1);
}

/// Multinomial (softmax) regression: x_k and intercepts b_k of each class k that minimise Σ
/// w_i·(log Σ_k e^η_ik - η_iy) + λ·Σ‖x_k‖²/2 with η_k = A·x_k + b_k, for labels y of 0 to `classes`
/// - 1. The sum of `intercepts` is 0.
///
/// As `linear_regression` by `newton`, without standard errors and offset. Memory: about
/// (classes·(n + 1))² doubles per level of a tree over blocks of rows.
/// @throws std::invalid_argument also if classes·(n + 1) > 1024, for another solver, and for a
/// class without weight
template <ExecutionSpace Exec, Scalar T>
Regression<Exec, T> multinomial_regression(
    NormalOperator<Exec, T> const& op, std::type_identity_t<Observations<Exec, T>> const& observed,
    Index classes, RegressionOptions const& options = {},
    std::type_identity_t<Control<T>> const& control = {}) {
  return detail::run_regression<Exec, T>(Loss::multinomial, op, observed, options, control,
                                         classes);
}

/// As `linear_regression`, with Σ w_i·(y_i·e^-η_i + η_i) for y > 0. The variance is φ·e^2η. Reads A
/// once more, for the expected Hessian.
template <ExecutionSpace Exec, Scalar T, class Observed = Observations<Exec, T>>
Regression<Exec, T> gamma_regression(NormalOperator<Exec, T> const& op, Observed const& observed,
                                     RegressionOptions const& options = {},
                                     std::type_identity_t<Control<T>> const& control = {}) {
  return detail::run_regression<Exec, T>(Loss::gamma, op, detail::observed_in<Exec, T>(observed),
                                         options, control, 1);
}

/// As `gamma_regression`, with Σ w_i·(e^(b·η_i)/b - y_i·e^(a·η_i)/a), a = 1 - power, b = 2 - power.
/// The variance is φ·e^(power·η), with power > 1. y may be 0 if power < 2.
template <ExecutionSpace Exec, Scalar T, class Observed = Observations<Exec, T>>
Regression<Exec, T> tweedie_regression(NormalOperator<Exec, T> const& op, Observed const& observed,
                                       RegressionOptions const& options = {},
                                       std::type_identity_t<Control<T>> const& control = {}) {
  return detail::run_regression<Exec, T>(Loss::tweedie, op, detail::observed_in<Exec, T>(observed),
                                         options, control, 1);
}

}  // namespace tessera::solve

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_SOLVE_REGRESSION(TEMPLATE, EXEC, T)                                                \
  namespace tessera::solve::detail {                                                               \
  TEMPLATE Regression<EXEC, T> run_regression(Loss, NormalOperator<EXEC, T> const&,                \
                                              Observations<EXEC, T> const&,                        \
                                              RegressionOptions const&, Control<T> const&, Index); \
  TEMPLATE std::vector<Regression<EXEC, T>> run_targets(                                           \
      NormalOperator<EXEC, T> const&, ConstRows<EXEC, T> const&, ConstValues<EXEC, T> const&,      \
      std::vector<double> const&, RegressionOptions const&, Control<T> const&);                    \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_SOLVE_REGRESSION)
