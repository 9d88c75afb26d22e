// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <barrier>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/detail/gpu/trees.hpp>

#include "support/data.hpp"
#include "support/reference.hpp"

/// The trees over values that a warp comes by, as kernels of GPUs use them, run by as many threads
/// of the host as a warp has.
namespace tessera::test {
namespace {

namespace gpu = tessera::detail::gpu;

/// A warp whose threads are threads of the host, and wait for each other at each exchange.
struct HostWarp {
  static constexpr int threads = gpu::warp_threads;
  struct Shared {
    std::barrier<> meeting{threads};
    std::array<double, threads> values{};
  };
  static inline std::unique_ptr<Shared> shared;
  static inline thread_local int lane = 0;

  template <class T>
  static T exchange(T value, int mask) {
    shared->values[static_cast<std::size_t>(lane)] = value;
    shared->meeting.arrive_and_wait();
    auto const received = static_cast<T>(shared->values[static_cast<std::size_t>(lane ^ mask)]);
    shared->meeting.arrive_and_wait();
    return received;
  }
  /// Called on the host only; trees are compiled for devices as well.
  template <class T>
  KOKKOS_FUNCTION static T shuffle_xor(T value, [[maybe_unused]] int mask) {
    KOKKOS_IF_ON_HOST((return exchange(value, mask);))
    KOKKOS_IF_ON_DEVICE((return value;))
  }
};

/// What each thread of a warp gets that pushes `values` one after the other.
template <class Tree, class T>
std::vector<T> sums_of(std::vector<T> const& values) {
  HostWarp::shared = std::make_unique<HostWarp::Shared>();
  std::vector<T> sums(HostWarp::threads);
  std::vector<std::jthread> threads;
  for (int lane = 0; lane < HostWarp::threads; ++lane) {
    threads.emplace_back([&, lane] {
      HostWarp::lane = lane;
      Tree tree(lane);
      for (T const value : values) tree.push(value);
      sums[static_cast<std::size_t>(lane)] = tree.sum();
    });
  }
  threads.clear();  // joins
  return sums;
}

template <template <class, class> class Tree, class T>
void expect_tree(Index count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = real_number<T>(3, i);
  auto const found = sums_of<Tree<HostWarp, T>>(values);
  EXPECT_EQ(found, std::vector<T>(found.size(), reference::tree(values))) << count;
}

TEST(WarpTree, AddsInTheOrderOfTheReference) {
  for (Index const count : {1, 2, 31, 32, 33, 64, 95, 1024, 1025, 1056, 2049}) {
    expect_tree<gpu::WarpTree, float>(count);
    expect_tree<gpu::LongWarpTree, double>(count);
  }
}

TEST(WarpTree, OfMoreValuesThanOneHoldsIsATreeOfTrees) {
  constexpr Index most = gpu::WarpTree<HostWarp, float>::max_values;
  expect_tree<gpu::WarpTree, float>(most);
  for (Index const count : {most - 1, most, most + 1, most + 33, 2 * most}) {
    expect_tree<gpu::LongWarpTree, float>(count);
  }
}

}  // namespace
}  // namespace tessera::test
