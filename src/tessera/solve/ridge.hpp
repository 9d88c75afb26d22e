// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/checks.hpp>
#include <tessera/solve/lsmr.hpp>

/// Least squares with a penalty.
namespace tessera::solve {

/// x for each λ that makes ‖A·x - b‖² + λ·‖x - x0‖² small
///
/// As `lsmr` with damp = √λ for each λ, with the bits of it, but A is read no more often than for
/// the λ that takes the most steps: one bidiagonalisation serves all. Each λ adds three vectors of
/// n entries. damp of the options is not used. Callbacks are told of the first λ that has not
/// ended; a state is one of the same lambdas. Throws std::invalid_argument as `lsmr`, and for a λ
/// that is not a number of at least 0.
template <ExecutionSpace Exec, Scalar T, Vector B>
  requires AccessibleFrom<B, Exec> && std::is_same_v<typename B::non_const_value_type, T>
std::vector<LeastSquares<Exec, T>> ridge_path(
    NormalOperator<Exec, T> const& A, B const& b, std::vector<double> const& lambdas,
    std::type_identity_t<LeastSquaresOptions<Exec, T>> const& options = {},
    std::type_identity_t<Control<T>> const& control = {}) {
  std::vector<double> damps;
  for (double const lambda : lambdas) {
    if (!(lambda >= 0 && std::isfinite(lambda))) {
      checks::fail("ridge",
                   "lambda must be a number of at least 0, found " + std::to_string(lambda));
    }
    damps.push_back(std::sqrt(lambda));
  }
  return detail::run_lsmr<Exec, T>(A, detail::side_by_side(A.exec(), b), options, control, damps);
}

/// x that makes ‖A·x - b‖² + λ·‖x - x0‖² small: as `ridge_path` of one λ.
template <ExecutionSpace Exec, Scalar T, Vector B>
  requires AccessibleFrom<B, Exec> && std::is_same_v<typename B::non_const_value_type, T>
LeastSquares<Exec, T> ridge(NormalOperator<Exec, T> const& A, B const& b, double lambda,
                            std::type_identity_t<LeastSquaresOptions<Exec, T>> const& options = {},
                            std::type_identity_t<Control<T>> const& control = {}) {
  auto results = ridge_path(A, b, {lambda}, options, control);
  return std::move(results.front());
}

}  // namespace tessera::solve
