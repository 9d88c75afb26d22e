// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <limits>
#include <ostream>
#include <type_traits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

namespace tessera::test {

template <std::floating_point T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// NaNs are equal whatever their payloads.
template <std::floating_point T>
bool same_bits(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::bit_cast<BitsOf<T>>(a) == std::bit_cast<BitsOf<T>>(b);
}

/// Index among all non-NaN values in order; both zeros have 2^(bits - 1).
template <std::floating_point T>
BitsOf<T> place_in_order(T x) {
  using Bits = BitsOf<T>;
  constexpr Bits zero = Bits{1} << (std::numeric_limits<Bits>::digits - 1);
  Bits const bits = std::bit_cast<Bits>(x);
  return bits < zero ? zero + bits : zero - (bits - zero);
}

template <std::floating_point T>
BitsOf<T> ulp_distance(T a, T b) {
  BitsOf<T> const place_a = place_in_order(a);
  BitsOf<T> const place_b = place_in_order(b);
  return place_a < place_b ? place_b - place_a : place_a - place_b;
}

template <std::floating_point T>
void write_value(std::ostream& out, T x) {
  out << std::setprecision(std::numeric_limits<T>::max_digits10) << x << " (0x" << std::hex
      << std::setw(2 * static_cast<int>(sizeof(T))) << std::setfill('0')
      << std::bit_cast<BitsOf<T>>(x) << std::dec << std::setfill(' ') << ")";
}

template <std::floating_point T>
class SameBitsMatcher {
 public:
  using is_gtest_matcher = void;

  explicit SameBitsMatcher(std::vector<T> expected) : expected_(std::move(expected)) {}

  bool MatchAndExplain(std::vector<T> const& found, std::ostream* out) const {
    if (found.size() != expected_.size()) {
      if (out != nullptr) *out << "has " << found.size() << " elements";
      return false;
    }
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (same_bits(expected_[i], found[i])) continue;
      if (++wrong <= shown && out != nullptr) write_difference(*out, i, found[i]);
    }
    if (wrong > 0 && out != nullptr) {
      *out << "\n  " << wrong << " of " << found.size() << " elements are wrong";
    }
    return wrong == 0;
  }

  void DescribeTo(std::ostream* out) const {
    *out << "has the bits of the expected vector of " << expected_.size() << " elements";
  }

  void DescribeNegationTo(std::ostream* out) const {
    *out << "differs from the vector of " << expected_.size() << " elements";
  }

 private:
  static constexpr std::size_t shown = 5;

  void write_difference(std::ostream& out, std::size_t i, T found) const {
    out << "\n  [" << i << "] is ";
    write_value(out, found);
    out << ", expected ";
    write_value(out, expected_[i]);
    if (!std::isnan(found) && !std::isnan(expected_[i])) {
      out << ", " << ulp_distance(found, expected_[i]) << " ulp apart";
    }
  }

  std::vector<T> expected_;
};

template <std::floating_point T>
SameBitsMatcher<T> same_bits_as(std::vector<T> expected) {
  return SameBitsMatcher<T>(std::move(expected));
}

}  // namespace tessera::test
