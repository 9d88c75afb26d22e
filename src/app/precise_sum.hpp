// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <app/double_double.hpp>

namespace tessera::app {

/// `Width` sums of products side by side, beyond the precision of T, with the weighted sum of
/// absolute values. add() is written so that a compiler can vectorise a loop over k.
template <class T, std::size_t Width>
class PreciseSums {
 public:
  /// Adds a·(x + x_low) to sum k, and |a|·weight to its weight. All values must be finite.
  void add(std::size_t k, T a, double x, [[maybe_unused]] double x_low, double weight) {
    double const factor = static_cast<double>(a);
    if constexpr (std::is_same_v<T, float>) {
      high_[k] += factor * x;  // the product of two floats is exact in double
    } else {
      DoubleDouble const product = two_product(factor, x);
      DoubleDouble const sum = two_sum(high_[k], product.high);
      high_[k] = sum.high;
      low_[k] += (product.low + sum.low) + factor * x_low;
    }
    weight_[k] += std::fabs(factor) * weight;
  }

  /// As add(), for values of which some may be infinite, NaN, or unknown (an infinite weight).
  void add_any(std::size_t k, T a, double x, double x_low, double weight) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    bool const finite = std::isfinite(a) && std::isfinite(x);
    // An infinity times something of unknown sign can become anything.
    bool const unknown = std::isinf(weight) || (!finite && weight > 0 && std::fabs(x) <= weight);
    if (finite) {
      add(k, a, x, x_low, unknown ? 0 : weight);
    } else {
      special_[k] += static_cast<double>(a) * x;
    }
    if (unknown) weight_[k] = infinity;
  }

  /// True when every sum is an ordinary number.
  [[nodiscard]] bool all_finite() const {
    double test = 0;  // becomes NaN when any of them is infinite or NaN
    for (std::size_t k = 0; k < Width; ++k)
      test += (high_[k] - high_[k]) + (weight_[k] - weight_[k]);
    return test == 0;
  }

  [[nodiscard]] DoubleDouble value(std::size_t k) const { return two_sum(high_[k], low_[k]); }
  [[nodiscard]] double weight(std::size_t k) const { return weight_[k]; }
  /// What infinite and NaN terms make of sum k; 0 when there were none.
  [[nodiscard]] double special(std::size_t k) const { return special_[k]; }

 private:
  std::array<double, Width> high_{};
  std::array<double, Width> low_{};
  std::array<double, Width> weight_{};
  std::array<double, Width> special_{};
};

/// One sum put together from parts.
struct PreciseTotal {
  DoubleDouble value;
  double weight = 0;
  double special = 0;

  void add(DoubleDouble part, double part_weight, double part_special) {
    value = app::add(value, part);
    weight += part_weight;
    special += part_special;
  }
};

}  // namespace tessera::app
