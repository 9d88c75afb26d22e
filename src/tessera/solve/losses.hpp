// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Losses and solvers of regressions, without Kokkos.
namespace tessera::solve {

/// See regression.hpp.
enum class Loss {
  squares,
  logistic,
  poisson,
  gamma,
  tweedie,
  multinomial,
};

enum class RegressionSolver {
  automatic,  ///< newton up to most_gram_cols columns, else newton_cg
  newton,     ///< whole Hessian: one read per iteration
  newton_cg,  ///< few iterations of several reads
  lbfgs,      ///< many iterations, mostly of one read
};

}  // namespace tessera::solve
