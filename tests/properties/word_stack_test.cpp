// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/backends/gpu/teams.hpp>

#include "support/reference.hpp"

/// GPU kernels' stack of partial vectors, on the host: the reference's order for every split
/// between scratch and global memory, and no writes in others' places.
namespace tessera::test {
namespace {

namespace gpu = tessera::detail::gpu;

template <class T>
T element(int index, int word, int e) {
  return static_cast<T>(std::sin(1 + index * 31 + word * 7 + e));
}

template <class T>
gpu::Word<T> unused() {
  gpu::Word<T> word{};
  for (int e = 0; e < gpu::word_width<T>; ++e) word.e[e] = T(-77);
  return word;
}

/// One place of `stride` is the thread's; each memory ends with a word that belongs to nobody.
template <int Words, class T, bool HasScratch>
void expect_tree(int count, int scratch_parts) {
  using Stack = gpu::WordStack<Words, T, HasScratch>;
  constexpr std::size_t stride = 3;
  constexpr std::size_t own = 1;
  auto const in_scratch = static_cast<std::size_t>(scratch_parts * Stack::part);
  auto const in_all = static_cast<std::size_t>(gpu::stack_levels(count) * Words);
  std::vector<gpu::Word<T>> memory((in_all - in_scratch) * stride + 1, unused<T>());
  std::vector<gpu::Word<T>> scratch(in_scratch * stride + 1, unused<T>());
  Stack const stack{memory.data() + own, stride, scratch.data() + own, scratch_parts};

  tessera::detail::PerLine<gpu::Word<T>, Words> sum{};
  for (int p = 0; p < count; ++p) {
    for (int k = 0; k < Words; ++k) {
      for (int e = 0; e < gpu::word_width<T>; ++e) {
        EXPECT_EQ(sum[k].e[e], T(0)) << "the sum before vector " << p;
        sum[k].e[e] = element<T>(p, k, e);
      }
    }
    stack.push(sum, p, count);
  }

  for (int k = 0; k < Words; ++k) {
    for (int e = 0; e < gpu::word_width<T>; ++e) {
      std::vector<T> values;
      for (int p = 0; p < count; ++p) values.push_back(element<T>(p, k, e));
      EXPECT_EQ(sum[k].e[e], reference::tree(values)) << count << " vectors, word " << k;
    }
  }
  for (auto const* words : {&memory, &scratch}) {
    for (std::size_t w = 0; w < words->size(); ++w) {
      if (w % stride == own && w + 1 < words->size()) continue;
      EXPECT_EQ((*words)[w].e[0], T(-77)) << "another thread's word " << w;
    }
  }
}

template <int Words, class T>
void expect_trees() {
  using Stack = gpu::WordStack<Words, T, true>;
  for (int count = 1; count <= 40; ++count) {
    expect_tree<Words, T, false>(count, 0);
    int const parts = gpu::stack_levels(count) * Stack::parts_of_level;
    for (int in_scratch = 0; in_scratch <= parts; ++in_scratch) {
      expect_tree<Words, T, true>(count, in_scratch);
    }
  }
}

TEST(WordStack, AddsInTheOrderOfTheReferenceWhereverItsPartsLie) {
  expect_trees<1, float>();
  expect_trees<8, float>();
  expect_trees<1, double>();
  expect_trees<8, double>();
}

}  // namespace
}  // namespace tessera::test
