// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Progress and outcome of solvers, without Kokkos.
namespace tessera::solve {

enum class Stop {
  zero_solution,               ///< x = 0 is exact
  solved,                      ///< A·x = b within atol and btol
  least_squares,               ///< ‖A·x - b‖ is least within atol
  condition_limit,             ///< cond(A) exceeds conlim
  solved_to_precision,         ///< as `solved`, to the precision of T
  least_squares_to_precision,  ///< as `least_squares`, to the precision of T
  condition_to_precision,      ///< as `condition_limit`, to the precision of T
  converged,
  iteration_limit,
  cancelled,
  breakdown,        ///< the method cannot continue
  not_finite,       ///< a norm overflowed, or an input is not finite
  all_done,         ///< the requested iterations; see residuals
  precision_limit,  ///< rounding allows no progress
  not_solvable,     ///< the problem as posed has no solution
};

inline char const* sentence(Stop stop) {
  switch (stop) {
    case Stop::zero_solution:
      return "x = 0 is the exact solution";
    case Stop::solved:
      return "A x = b is solved within atol and btol";
    case Stop::least_squares:
      return "the least-squares problem is solved within atol";
    case Stop::condition_limit:
      return "the estimate of the condition number passed conlim";
    case Stop::solved_to_precision:
      return "A x = b is solved to the precision of the arithmetic";
    case Stop::least_squares_to_precision:
      return "the least-squares problem is solved to the precision of the arithmetic";
    case Stop::condition_to_precision:
      return "the condition number is too large for the precision of the arithmetic";
    case Stop::converged:
      return "converged within the tolerance";
    case Stop::iteration_limit:
      return "the limit of iterations was reached before convergence";
    case Stop::cancelled:
      return "cancelled by a callback";
    case Stop::breakdown:
      return "the method broke down: it makes no progress in the precision and range of the type";
    case Stop::not_finite:
      return "a number overflowed or underflowed, or the input has an infinity or a NaN";
    case Stop::all_done:
      return "all requested steps are done; the residuals show the accuracy";
    case Stop::precision_limit:
      return "the precision of the arithmetic was reached before convergence";
    case Stop::not_solvable:
      return "the problem as posed has no solution";
  }
  return "";
}

inline bool is_success(Stop stop) {
  return stop == Stop::zero_solution || stop == Stop::solved || stop == Stop::least_squares ||
         stop == Stop::solved_to_precision || stop == Stop::least_squares_to_precision ||
         stop == Stop::converged || stop == Stop::all_done;
}

struct Step {
  std::int64_t iteration = 0;
  std::int64_t reads = 0;
  double residual = 0;
  double tolerance = 0;  ///< of the residual
  double objective = 0;  ///< such as ‖r‖
};

}  // namespace tessera::solve
