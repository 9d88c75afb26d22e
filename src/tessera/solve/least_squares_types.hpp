// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tessera/checks.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/normal_operator.hpp>

/// Options and results of `lsmr`, `lsqr`, `lstsq` and `ridge`.
namespace tessera::solve {

/// Options as in SciPy.
template <class Exec, class T>
struct LeastSquaresOptions {
  double damp = 0;  ///< ≥ 0: minimises ‖A·x - b‖² + damp²·‖x - x0‖²; √λ of `ridge`
  /// Relative errors of A and b. Default: 1e-6, or ε for `ridge`.
  std::optional<double> atol = std::nullopt;
  std::optional<double> btol = std::nullopt;
  /// Maximum estimate of cond(A); 0: any. Default: 1e8, or 0 for `lstsq`.
  std::optional<double> conlim = std::nullopt;
  std::optional<Index> maxiter = std::nullopt;
  ConstValues<Exec, T> x0{};  ///< empty: 0
  bool history = false;
  /// Maximum columns that `lstsq` and `ridge` solve directly, unless maxiter is set.
  Index direct = 512;
  /// Maximum λ of `ridge_path` that share reads of A if columns are scaled. Each needs about
  /// 4m + 15n entries.
  Index at_once = 16;
};

/// Norms are estimates.
template <class Exec, class T>
struct LeastSquares {
  Values<Exec, T> x;
  Stop stop = Stop::iteration_limit;
  Index iterations = 0;
  Index reads = 0;
  double normr = 0;   ///< ‖b - A·x‖; with `damp`, for damp·I below A
  double normar = 0;  ///< ‖Aᵀ·(b - A·x) - damp²·(x - x0)‖
  double norma = 0;   ///< Frobenius norm of A; with `damp`, and damp·I below it
  double conda = 0;   ///< of the same matrix
  double normx = 0;
  bool is_direct = false;
  /// LSMR ran on columns of equal norms: normar, norma and conda belong to the scaled problem.
  bool has_scaled_columns = false;
  Index rank = -1;  ///< of A, or of A above damp·I; -1: unknown
  std::vector<Step>
      history;  ///< residual: ‖r‖/‖b‖ or ‖Aᵀr‖/(‖A‖·‖r‖), whichever is nearer to its tolerance
};

namespace detail {

inline void require_option(char const* method, char const* option, double found) {
  if (found >= 0) return;
  checks::fail(method, std::string(option) + " must be a number of at least 0, found " +
                           std::to_string(found));
}

}  // namespace detail

}  // namespace tessera::solve
