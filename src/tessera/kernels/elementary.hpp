// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include <Kokkos_Core.hpp>

/// exp, log and log1p of float or double as fixed sequences of +, ·, / and fma: the same bits on
/// every device, unlike C libraries and CUDA. Special values as in C; errno is never set.
namespace tessera::elementary {

namespace detail {

template <class T>
struct Format;
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int fraction_bits = 23;
  static constexpr int bias = 127;
  static constexpr float round_to_whole = 0x1.8p23F;
  static constexpr float least_exponent = -104;  ///< below it exp is 0
  static constexpr float largest_exponent = 89;  ///< above it exp is infinite
  /// ln 2 in two parts; exponent · ln2_high is exact.
  static constexpr float ln2_high = 0x1.63p-1F;
  static constexpr float ln2_low = -0x1.bd0106p-13F;
  static constexpr int exp_terms = 7;
  static constexpr int log_terms = 4;
};
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int fraction_bits = 52;
  static constexpr int bias = 1023;
  static constexpr double round_to_whole = 0x1.8p52;
  static constexpr double least_exponent = -746;
  static constexpr double largest_exponent = 710;
  static constexpr double ln2_high = 0x1.62e42feep-1;
  static constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  static constexpr int exp_terms = 13;
  static constexpr int log_terms = 10;
};

/// 2^k must be a normal number.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T power_of_two(int k) {
  using F = Format<T>;
  return Kokkos::bit_cast<T>(static_cast<typename F::Bits>(k + F::bias) << F::fraction_bits);
}

/// Exact up to 18.
constexpr double factorial(int n) {
  return n < 2 ? 1 : n * factorial(n - 1);
}
template <class T, int n>
inline constexpr T term_of_exp = static_cast<T>(1 / factorial(n));
template <class T, int n>
inline constexpr T term_of_log = static_cast<T>(2.0 / (2 * n + 1));
template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();
template <class T>
inline constexpr T smallest_normal = std::numeric_limits<T>::min();

/// e^r, |r| <= ln(2)/2: Taylor series by Horner's rule, terms N down to n.
template <int n, class T>
KOKKOS_FORCEINLINE_FUNCTION T taylor_of_exp(T r) {
  constexpr T term = term_of_exp<T, n>;
  if constexpr (n == Format<T>::exp_terms) {
    return term;
  } else {
    return Kokkos::fma(taylor_of_exp<n + 1>(r), r, term);
  }
}
/// 2/3 + 2/5 z + 2/7 z² + …
template <int n, class T>
KOKKOS_FORCEINLINE_FUNCTION T series_of_log(T z) {
  constexpr T term = term_of_log<T, n>;
  if constexpr (n == Format<T>::log_terms) {
    return term;
  } else {
    return Kokkos::fma(series_of_log<n + 1>(z), z, term);
  }
}

}  // namespace detail

/// e^x. Error below 1 ulp.
///
/// Source: x = k ln 2 + r with ln 2 in two parts (Cody and Waite, Software Manual for the
/// Elementary Functions, 1980), and the Taylor series of e^r.
template <class T>
KOKKOS_INLINE_FUNCTION T exp(T x) {
  using F = detail::Format<T>;
  if (!(x < F::largest_exponent)) return x + detail::infinity<T>;  // or NaN
  if (x < F::least_exponent) return T(0);
  constexpr auto log2_e = static_cast<T>(0x1.71547652b82fep0);
  T const k = Kokkos::fma(x, log2_e, F::round_to_whole) - F::round_to_whole;
  T const r = Kokkos::fma(-k, F::ln2_low, Kokkos::fma(-k, F::ln2_high, x));
  // 2^k may not be normal: multiply by two halves.
  int const power = static_cast<int>(k);
  int const half = power / 2;
  return detail::taylor_of_exp<0>(r) * detail::power_of_two<T>(half) *
         detail::power_of_two<T>(power - half);
}

/// The natural logarithm of x. Error below 1 ulp.
///
/// Source: x = 2^k m with m from √½ to √2, log m by the series of 2 artanh((m - 1)/(m + 1)).
template <class T>
KOKKOS_INLINE_FUNCTION T log(T x) {
  using F = detail::Format<T>;
  using Bits = typename F::Bits;
  if (!(x > 0)) {
    return x == 0 ? -detail::infinity<T> : detail::not_a_number<T>;
  }
  if (x == detail::infinity<T>) return x;
  int power = 0;
  if (x < detail::smallest_normal<T>) {  // subnormal
    x *= detail::power_of_two<T>(F::fraction_bits + 1);
    power = -(F::fraction_bits + 1);
  }
  auto const bits = Kokkos::bit_cast<Bits>(x);
  constexpr Bits fraction_mask = (Bits{1} << F::fraction_bits) - 1;
  power += static_cast<int>(bits >> F::fraction_bits) - F::bias;
  T m = Kokkos::bit_cast<T>((bits & fraction_mask) | (Bits{F::bias} << F::fraction_bits));
  if (m > static_cast<T>(0x1.6a09e667f3bcdp0)) {
    m *= T(0.5);
    ++power;
  }
  T const f = m - T(1);
  T const s = f / (T(2) + f);
  T const z = s * s;
  T const half_f = T(0.5) * f;
  T const k = static_cast<T>(power);
  // log(m) = f - (f²/2 - s (f²/2 + series)); f²/2 only inside fma.
  T const series = z * detail::series_of_log<1>(z);
  T const low = Kokkos::fma(s, Kokkos::fma(half_f, f, series), k * F::ln2_low);
  return Kokkos::fma(k, F::ln2_high, f - Kokkos::fma(half_f, f, -low));
}

/// log(1 + x), accurate also for small x. Error below 3 ulp.
///
/// Source: log(u) x/(u - 1) with u = 1 + x rounded (W. Kahan).
template <class T>
KOKKOS_INLINE_FUNCTION T log1p(T x) {
  T const u = T(1) + x;
  T const added = u - T(1);
  if (added == 0 || u == detail::infinity<T>) return x;
  return log(u) * (x / added);
}

}  // namespace tessera::elementary
