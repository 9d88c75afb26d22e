// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/data.hpp"

namespace tessera::test {

template <std::floating_point T>
std::vector<T> whole_numbers(std::size_t size, std::uint64_t seed, int greatest) {
  return generate<T>(size, [=](std::size_t i) { return whole_number<T>(seed, i, greatest); });
}

template <std::floating_point T>
std::vector<T> real_numbers(std::size_t size, std::uint64_t seed) {
  return generate<T>(size, [=](std::size_t i) { return real_number<T>(seed, i); });
}

template std::vector<float> whole_numbers(std::size_t, std::uint64_t, int);
template std::vector<double> whole_numbers(std::size_t, std::uint64_t, int);
template std::vector<float> real_numbers(std::size_t, std::uint64_t);
template std::vector<double> real_numbers(std::size_t, std::uint64_t);

}  // namespace tessera::test
