// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

/// Functions of (seed, index) by exact operations: equal bits everywhere.
namespace tessera::test {

constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t x = (seed + 1) * 0xd1342543de82ef95ULL + index * 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
  x = (x ^ (x >> 29)) * 0xa0761d6478bd642fULL;
  return x ^ (x >> 32);
}

template <std::floating_point T>
T whole_number(std::uint64_t seed, std::uint64_t index, int greatest) {
  auto const range = static_cast<std::uint64_t>(2 * greatest + 1);
  return static_cast<T>(static_cast<int>(((random_bits(seed, index) >> 32) * range) >> 32) -
                        greatest);
}

/// Exponent of 2 in -8 … 7: nearly every addition rounds.
template <std::floating_point T>
T real_number(std::uint64_t seed, std::uint64_t index) {
  constexpr int digits = std::numeric_limits<T>::digits;
  std::uint64_t const bits = random_bits(seed, index);
  std::uint64_t const leading = std::uint64_t{1} << (digits - 1);
  auto const significand =
      static_cast<T>(static_cast<std::int64_t>(leading | (bits >> (65 - digits))));
  constexpr int low_exponent = -8 - (digits - 1);
  // Both factors and the product are exact.
  constexpr T smallest_scale = T(1) / static_cast<T>(std::uint64_t{1} << -low_exponent);
  auto const scale = smallest_scale * static_cast<T>(1u << (bits & 15u));
  return ((bits >> 4) & 1u) != 0 ? -significand * scale : significand * scale;
}

constexpr std::uint64_t vector_seed(std::uint64_t seed) {
  return seed ^ 0x5bf0'3635'dcd2'd3b1ULL;
}

template <class T, class Generator>
std::vector<T> generate(std::size_t size, Generator&& generator) {
  std::vector<T> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = generator(i);
  return values;
}

template <std::floating_point T>
std::vector<T> whole_numbers(std::size_t size, std::uint64_t seed, int greatest);

template <std::floating_point T>
std::vector<T> real_numbers(std::size_t size, std::uint64_t seed);

/// Arithmetic does not produce this NaN.
template <std::floating_point T>
T poison() {
  // At run time: a compiler may lose the payload of a constant NaN.
  if constexpr (sizeof(T) == sizeof(float)) {
    std::uint32_t const volatile bits = 0x7fc5'eed5;
    return std::bit_cast<T>(std::uint32_t{bits});
  } else {
    std::uint64_t const volatile bits = 0x7ff8'5eed'5eed'5eed;
    return std::bit_cast<T>(std::uint64_t{bits});
  }
}

}  // namespace tessera::test
