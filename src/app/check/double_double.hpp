// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cmath>

namespace tessera::app {

/// An unevaluated sum high + low of two doubles, about 106 bits. Needs a compiler that neither
/// reorders nor contracts floating-point arithmetic.
struct DoubleDouble {
  double high = 0;
  double low = 0;
};

/// a + b without error, as (rounded sum, rest). Knuth's TwoSum.
[[nodiscard]] inline DoubleDouble two_sum(double a, double b) {
  double const sum = a + b;
  double const from_b = sum - a;
  return {.high = sum, .low = (a - (sum - from_b)) + (b - from_b)};
}

/// a·b without error (above underflow), as (rounded product, rest).
[[nodiscard]] inline DoubleDouble two_product(double a, double b) {
  double const product = a * b;
  return {.high = product, .low = std::fma(a, b, -product)};
}

/// x + y with a relative error below 2^-103, made non-overlapping again.
[[nodiscard]] inline DoubleDouble add(DoubleDouble x, DoubleDouble y) {
  DoubleDouble const high = two_sum(x.high, y.high);
  DoubleDouble const low = two_sum(x.low, y.low);
  DoubleDouble const first = two_sum(high.high, high.low + low.high);
  return two_sum(first.high, first.low + low.low);
}

}  // namespace tessera::app
