// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/runner.hpp>
#include <numeric>
#include <random>
#include <vector>

namespace tessera::bench {

void take_turns(std::size_t count, int turns, std::function<void(std::size_t)> const& turn) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed): the same order each time
  for (int k = 0; k < turns; ++k) {
    std::ranges::shuffle(order, random);
    for (std::size_t const which : order) turn(which);
  }
}

}  // namespace tessera::bench
