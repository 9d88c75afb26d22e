// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <tessera/solve/control.hpp>

/// When LSMR, LSQR and CGLS stop.
namespace tessera::solve {
namespace detail {

/// For α_1 = 1…2 and ‖r_0‖ = 1.
struct Estimates {
  double normr = 1;
  double normar = 0;
  double norma = 0;
  double conda = 1;
  double normx = 0;

  [[nodiscard]] bool are_finite() const {
    return std::isfinite(normr) && std::isfinite(normar) && std::isfinite(norma) &&
           std::isfinite(conda) && std::isfinite(normx);
  }
};

struct Tests {
  double solved;  ///< ‖r‖/‖b‖
  double solved_below;
  double least_squares;  ///< ‖Aᵀr‖/(‖A‖·‖r‖)
  double least_squares_below;
  double smallest_solved;  ///< ‖r‖/(‖b‖ + ‖A‖·‖x‖)
  double inverse_of_conda;

  template <class Options>
  Tests(Estimates const& now, double norm_of_b, Options const& options) {
    solved = now.normr / norm_of_b;
    double const product = now.norma * now.normr;
    least_squares = product != 0 ? now.normar / product : std::numeric_limits<double>::infinity();
    double const size = now.norma * now.normx / norm_of_b;
    solved_below = *options.btol + *options.atol * size;
    least_squares_below = *options.atol;
    smallest_solved = solved / (1 + size);
    inverse_of_conda = 1 / now.conda;
  }

  template <class T, class Options>
  [[nodiscard]] std::optional<Stop> reason(Options const& options) const {
    auto const is_nothing = [](double x) { return T(1) + static_cast<T>(x) <= T(1); };
    if (solved <= solved_below) return Stop::solved;
    if (least_squares <= least_squares_below) return Stop::least_squares;
    if (*options.conlim > 0 && inverse_of_conda <= 1 / *options.conlim) {
      return Stop::condition_limit;
    }
    if (is_nothing(smallest_solved)) return Stop::solved_to_precision;
    if (is_nothing(least_squares)) return Stop::least_squares_to_precision;
    if (is_nothing(inverse_of_conda)) return Stop::condition_to_precision;
    return std::nullopt;
  }

  [[nodiscard]] std::pair<double, double> nearer() const {
    bool const is_solved = solved * least_squares_below <= least_squares * solved_below;
    return is_solved ? std::pair(solved, solved_below)
                     : std::pair(least_squares, least_squares_below);
  }
};

}  // namespace detail
}  // namespace tessera::solve
