// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>

#include <gmock/gmock.h>

#include <tessera/summation.hpp>

#include "support/data.hpp"
#include "support/reference.hpp"

/// docs/summation.md, by the reference and by hand.
namespace tessera::summation {
namespace {

static_assert(lanes<float> == 64 && segment<float> == 256);
static_assert(lanes<double> == 32 && segment<double> == 128);

void expect_panels_of_the_reference(Index count, Index length) {
  Panels const found = panels(count, length);
  EXPECT_EQ(found.lines, reference::panel_lines(count, length)) << count << " of " << length;
  EXPECT_EQ(found.count, reference::panel_count(count, length)) << count << " of " << length;
}

TEST(Summation, HasThePanelsOfTheReferenceAtEveryLimit) {
  for (Index const length :
       {1,     64,    127,   128,    129,    255,    257,     4095,    4096,    4097,
        16383, 16384, 16385, 131072, 524288, 524289, 1048575, 1048576, 1048577, 2097153}) {
    for (Index const panels : {1, 8, 1024, 4096, 32768}) {
      for (Index const panel_lines : {1, 7, 8, 9, 128}) {
        for (Index const more : {-1, 0, 1}) {
          expect_panels_of_the_reference(std::max(Index{1}, panels * panel_lines + more), length);
        }
      }
    }
  }
}

TEST(Summation, HasThePanelsOfTheReferenceForRandomShapesUpToTwoTo40) {
  for (std::uint64_t i = 0; i < 20000; ++i) {
    std::uint64_t const bits = test::random_bits(61, i);
    auto const count = static_cast<Index>((bits >> 24) >> (bits % 40));
    auto const length = static_cast<Index>((test::random_bits(62, i) >> 24) >> (bits / 40 % 40));
    expect_panels_of_the_reference(count + 1, length + 1);
  }
}

TEST(Summation, PanelsCoverAllLinesAndNoneIsEmpty) {
  for (std::uint64_t i = 0; i < 20000; ++i) {
    std::uint64_t const bits = test::random_bits(63, i);
    auto const count = 1 + static_cast<Index>((bits >> 24) >> (bits % 40));
    auto const length =
        1 + static_cast<Index>((test::random_bits(64, i) >> 24) >> (bits / 40 % 40));
    Panels const p = panels(count, length);
    ASSERT_GE(p.lines * p.count, count);
    ASSERT_LT(p.lines * (p.count - 1), count);
  }
}

TEST(Summation, CountsTheRoundingsOfADotProduct) {
  EXPECT_EQ(dot_depth<float>(1), 1);
  EXPECT_EQ(dot_depth<float>(2), 1 + 1);
  EXPECT_EQ(dot_depth<float>(64), 1 + 6);
  EXPECT_EQ(dot_depth<float>(65), 2 + 6);
  EXPECT_EQ(dot_depth<float>(256), 4 + 6);
  EXPECT_EQ(dot_depth<float>(257), 4 + 7);
  EXPECT_EQ(dot_depth<float>(16384), 4 + 12);
  EXPECT_EQ(dot_depth<double>(32), 1 + 5);
  EXPECT_EQ(dot_depth<double>(128), 4 + 5);
  EXPECT_EQ(dot_depth<double>(16384), 4 + 12);
  EXPECT_EQ(dot_depth<double>(Index{1} << 40), 4 + 38);
}

TEST(Summation, CountsTheRoundingsOfASumOverLines) {
  EXPECT_EQ(sum_depth(1, 1), 1);
  EXPECT_EQ(sum_depth(8, 1), 8);
  EXPECT_EQ(sum_depth(9, 1), 8 + 1);
  EXPECT_EQ(sum_depth(1797, 64), 8 + 8);
  EXPECT_EQ(sum_depth(262145, 1), 9 + 15);
  EXPECT_EQ(sum_depth(Index{1} << 40, Index{1} << 40), (Index{1} << 37) + 3);
}

TEST(Summation, CountsLevelsAndSegments) {
  EXPECT_EQ(tree_levels(1), 0);
  EXPECT_EQ(tree_levels(2), 1);
  EXPECT_EQ(tree_levels(3), 2);
  EXPECT_EQ(tree_levels(1024), 10);
  EXPECT_EQ(tree_levels(1025), 11);
  EXPECT_EQ(segments<float>(256), 1);
  EXPECT_EQ(segments<float>(257), 2);
  EXPECT_EQ(segments<double>(129), 2);
  EXPECT_EQ(segments<double>(Index{1} << 40), Index{1} << 33);
}

}  // namespace
}  // namespace tessera::summation
