// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tessera/solve/losses.hpp>
#include <tessera/solve/normal_operator.hpp>
#include <tessera/solve/stop.hpp>

/// Options, observations and results of regressions.
namespace tessera::solve {

struct RegressionOptions {
  double penalty = 0;  ///< λ; not of the intercept
  bool has_intercept = true;
  double power = 1.5;  ///< Tweedie: the variance is this power of the mean
  /// Bound of `Regression::quantity`; 0: the solver's default.
  double tol = 0;
  RegressionSolver solver = RegressionSolver::automatic;
  Index maxiter = 100;
  Index max_products = 0;      ///< with H per iteration of newton_cg; 0: n + 1, at most 200
  Index most_gram_cols = 512;  ///< for which `automatic` is `newton`
  bool keep_history = false;
};

/// One entry per row of A.
template <class Exec, class T>
struct Observations {
  ConstValues<Exec, T> y;
  ConstValues<Exec, T> weights{};  ///< >= 0; empty: 1
  ConstValues<Exec, T> offset{};   ///< added to η; empty: 0
};

template <class Exec, class T>
struct Regression {
  /// Class by class if multinomial.
  Values<Exec, T> x;
  double intercept = 0;
  std::vector<double> intercepts;  ///< of classes
  Stop stop = Stop::breakdown;
  std::string detail;  ///< about `stop`, without a full stop; may be empty
  Index iterations = 0;
  Index reads = 0;
  double loss = 0;           ///< including the penalty
  double gradient_norm = 0;  ///< including the penalty

  /// Must fall below `bound` (docs/stopping.md).
  double quantity = 0;
  double bound = 0;
  double decrement = 0;  ///< newton only, as the fields below
  double scaled_gradient = 0;
  double deviance = 0;
  /// Akaike's criterion, without the penalty; NaN for Tweedie.
  double aic = 0;
  Index rank = 0;  ///< with the intercept
  /// Squares: residual variance. Gamma, Tweedie: Pearson's statistic over Σw - rank. Else 1.
  double dispersion = 1;
  /// Of the coefficients, then of the intercept; NaN if A does not determine one. Empty with a
  /// penalty.
  std::vector<double> standard_errors;
  /// The loss falls without limit along these: Stop::not_solvable.
  std::vector<Index> columns;
  std::vector<Step> history;
};

}  // namespace tessera::solve
