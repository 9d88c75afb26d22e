// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/backends/gpu/trees.hpp>

#include "support/data.hpp"
#include "support/reference.hpp"

/// GPU kernels' trees, on the host.
namespace tessera::test {
namespace {

namespace gpu = tessera::detail::gpu;

/// Threads run in turn until none sends anything different, as in lockstep.
struct WarpInTurn {
  using Bits = std::uint64_t;
  static constexpr int threads = gpu::warp_threads;
  static inline std::vector<std::array<double, threads>> sent;  ///< by exchange and thread
  static inline std::size_t exchanges;
  static inline std::size_t thread;
  static inline bool has_changed;

  template <class T>
  static T exchange(T value, int mask) {
    if (exchanges == sent.size()) sent.emplace_back();
    auto& all = sent[exchanges++];
    double const before = std::exchange(all[thread], value);
    has_changed = has_changed || std::bit_cast<Bits>(before) != std::bit_cast<Bits>(all[thread]);
    return static_cast<T>(all[thread ^ static_cast<std::size_t>(mask)]);
  }
  template <class T>
  KOKKOS_FUNCTION static T shuffle_xor(T value, [[maybe_unused]] int mask) {
    KOKKOS_IF_ON_HOST((return exchange(value, mask);))
    KOKKOS_IF_ON_DEVICE((return value;))
  }
};

template <class Tree, class T>
std::vector<T> sums_of(std::vector<T> const& values) {
  std::vector<T> sums(WarpInTurn::threads);
  WarpInTurn::sent.clear();
  do {
    WarpInTurn::has_changed = false;
    for (std::size_t thread = 0; thread < sums.size(); ++thread) {
      WarpInTurn::thread = thread;
      WarpInTurn::exchanges = 0;
      Tree tree(static_cast<int>(thread));
      for (T const value : values) tree.push(value);
      sums[thread] = tree.sum();
    }
  } while (WarpInTurn::has_changed);
  return sums;
}

template <template <class, class> class Tree, class T>
void expect_tree(Index count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = real_number<T>(3, i);
  auto const found = sums_of<Tree<WarpInTurn, T>>(values);
  EXPECT_EQ(found, std::vector<T>(found.size(), reference::tree(values))) << count;
}

TEST(WarpTree, AddsInTheOrderOfTheReference) {
  for (Index const count : {1, 2, 31, 32, 33, 64, 95, 1024, 1025, 1056, 2049}) {
    expect_tree<gpu::WarpTree, float>(count);
    expect_tree<gpu::WarpTree, double>(count);
  }
}

TEST(WarpTree, HoldsAsManyValuesAsItSays) {
  constexpr Index most = gpu::WarpTree<WarpInTurn, float>::max_values;
  for (Index const count : {most - 1, most}) expect_tree<gpu::WarpTree, float>(count);
}

}  // namespace
}  // namespace tessera::test
