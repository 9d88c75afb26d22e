// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/kernels/elementary.hpp>

/// Losses of gamma and Tweedie regressions with a logarithmic link.
namespace tessera::solve::detail {

/// e^t - 1 - t, without a difference of nearly equal numbers.
template <class T>
KOKKOS_FUNCTION T exp_beyond_line(T t) {
  if (Kokkos::fabs(t) > T(0.25)) return elementary::exp(t) - T(1) - t;
  T sum = T(1) / T(14);
  for (int n = 13; n > 2; --n) sum = Kokkos::fma(sum, t, T(1)) / T(n);
  return t * t * Kokkos::fma(sum, t, T(1)) / T(2);
}

/// Half the deviance and its derivatives by η: mean μ = e^η, variance μ^power.
template <class T>
struct TweedieRow {
  T value;
  T first;
  T second;    ///< above a power of 2, it may be negative: use `expected`
  T expected;  ///< mean of the second derivative over the distribution of y
};

/// @param y above 0, or 0 with a power below 2
/// @param power above 1
template <class T>
KOKKOS_FUNCTION TweedieRow<T> tweedie_row(T eta, T y, T power) {
  T const a = T(1) - power;
  T const b = T(2) - power;
  T const expected = b == T(0) ? T(1) : elementary::exp(b * eta);
  if (!(y > T(0))) return {expected / b, expected, b * expected, expected};
  // Zero at t = 0; apart from a power of y, a function of t.
  T const log_y = elementary::log(y);
  T const t = eta - log_y;
  T const size = b == T(0) ? T(1) : elementary::exp(b * log_y);
  T const down = elementary::exp(a * t);
  T const up = b == T(0) ? T(1) : elementary::exp(b * t);
  T const of_b = b == T(0) ? T(0) : exp_beyond_line(b * t) / b;
  T const change = Kokkos::fabs(t) > T(0.25) ? up - down : down * (t + exp_beyond_line(t));
  return {size * (of_b - exp_beyond_line(a * t) / a), size * change,
          b < T(0) ? expected : size * Kokkos::fma(b, up, -a * down), expected};
}

}  // namespace tessera::solve::detail
