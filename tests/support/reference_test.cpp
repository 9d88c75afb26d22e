// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/reference.hpp"

#include <cmath>
#include <map>
#include <vector>

#include <gmock/gmock.h>

#include "support/same_bits.hpp"

/// Hand-worked cases. Most rest on one fact of float: 2^24 + 1 is a tie and rounds to 2^24, so a 1
/// survives next to 2^24 and -2^24 only if those two meet before one of them meets the 1.
namespace {

using reference::Index;
using reference::Matrix;
using reference::Order;
using tessera::test::same_bits_as;
using testing::ElementsAre;

constexpr float big = 16777216.0F;  // 2^24

/// Ones dot `x`, where `x` is zero but at the places named.
float dot_with_ones(Index length, std::map<Index, float> const& places) {
  std::vector<float> const line(static_cast<std::size_t>(length), 1.0F);
  std::vector<float> x(line.size(), 0.0F);
  for (auto const& [place, value] : places) x[static_cast<std::size_t>(place)] = value;
  return reference::dot<float>({line.data(), 1, length, length}, x).front();
}

/// Sum of `count` lines of one element, zero but at the places named.
float sum_of_column(Index count, std::map<Index, float> const& places) {
  std::vector<float> const y(static_cast<std::size_t>(count), 1.0F);
  std::vector<float> lines(y.size(), 0.0F);
  for (auto const& [place, value] : places) lines[static_cast<std::size_t>(place)] = value;
  return reference::sum<float>({lines.data(), count, 1, 1}, y).front();
}

TEST(ReferenceTree, AddsAdjacentPairs) {
  EXPECT_EQ(reference::tree<float>({big, 1.0F, -big, -1.0F}), 0.0F);
  EXPECT_EQ(reference::tree<float>({big, -big, 1.0F, 1.0F}), 2.0F);
  EXPECT_EQ(reference::tree<float>({1.0F, 2.0F, 3.0F, 4.0F}), 10.0F);
}

TEST(ReferenceTree, PadsToThePowerOfTwoAtTheEnd) {
  EXPECT_EQ(reference::tree<float>({5.0F}), 5.0F);
  EXPECT_EQ(reference::tree<float>({1.0F, big, -big}), 0.0F);
  EXPECT_EQ(reference::tree<float>({big, -big, 1.0F}), 1.0F);
  // Five: ((x0+x1)+(x2+x3)) + ((x4+0)+(0+0)).
  EXPECT_EQ(reference::tree<float>({big, 1.0F, 1.0F, 1.0F, -big}), 2.0F);
}

TEST(ReferenceDot, LanesAre128Apart) {
  EXPECT_EQ(dot_with_ones(512, {{0, big}, {1, 1.0F}, {128, -big}}), 1.0F);
  EXPECT_EQ(dot_with_ones(512, {{0, big}, {1, 1.0F}, {127, -big}}), 0.0F);
  EXPECT_EQ(dot_with_ones(512, {{0, big}, {1, -1.0F}, {129, -big}}), 0.0F);
  EXPECT_EQ(dot_with_ones(512, {{127, big}, {126, 1.0F}, {255, -big}}), 1.0F);
}

TEST(ReferenceDot, ALanesChainRunsForward) {
  EXPECT_EQ(dot_with_ones(512, {{0, big}, {128, 1.0F}, {256, -big}}), 0.0F);
  EXPECT_EQ(dot_with_ones(512, {{0, big}, {128, -big}, {256, 1.0F}}), 1.0F);
  EXPECT_EQ(dot_with_ones(512, {{0, 1.0F}, {128, big}, {256, -big}}), 0.0F);
}

TEST(ReferenceDot, AChainEndsAfterFourStepsWithItsSegment) {
  EXPECT_EQ(dot_with_ones(1024, {{0, big}, {1, 1.0F}, {384, -big}}), 1.0F);
  EXPECT_EQ(dot_with_ones(1024, {{0, big}, {1, 1.0F}, {512, -big}}), 0.0F);
}

TEST(ReferenceDot, TheTreeRunsOverLanesThenSegments) {
  EXPECT_EQ(dot_with_ones(128, {{0, big}, {1, -big}, {2, 1.0F}}), 1.0F);
  EXPECT_EQ(dot_with_ones(128, {{0, big}, {2, -big}, {1, 1.0F}}), 0.0F);
  EXPECT_EQ(dot_with_ones(1536, {{0, big}, {512, -big}, {1024, 1.0F}}), 1.0F);
  EXPECT_EQ(dot_with_ones(1536, {{0, 1.0F}, {512, big}, {1024, -big}}), 0.0F);
  // Lanes 0 and 127 of a segment meet before segments do.
  EXPECT_EQ(dot_with_ones(1024, {{0, big}, {127, -big}, {512, 1.0F}}), 1.0F);
  EXPECT_EQ(dot_with_ones(1024, {{0, big}, {127, 1.0F}, {512, -big}}), 0.0F);
}

TEST(ReferenceDot, MultipliesAndAddsWithOneRounding) {
  float const x = 1.0F + std::ldexp(1.0F, -12);  // x * x = 1 + 2^-11 + 2^-24 needs 25 bits
  std::vector<float> line(256, 0.0F);
  std::vector<float> factors(256, 0.0F);
  line[0] = 1.0F;
  factors[0] = -(1.0F + std::ldexp(1.0F, -11));
  line[128] = x;
  factors[128] = x;
  EXPECT_EQ(reference::dot<float>({line.data(), 1, 256, 256}, factors).front(),
            std::ldexp(1.0F, -24));
}

TEST(ReferenceSum, APanelsChainRunsForward) {
  EXPECT_EQ(sum_of_column(8, {{0, big}, {1, 1.0F}, {2, -big}}), 0.0F);
  EXPECT_EQ(sum_of_column(8, {{0, big}, {1, -big}, {2, 1.0F}}), 1.0F);
}

TEST(ReferenceSum, PanelsOfEightLinesAreAddedByTheTree) {
  EXPECT_EQ(sum_of_column(16, {{0, big}, {8, 1.0F}, {9, -big}}), 1.0F);
  EXPECT_EQ(sum_of_column(16, {{0, big}, {6, 1.0F}, {7, -big}}), 0.0F);
  EXPECT_EQ(sum_of_column(16, {{0, big}, {7, 1.0F}, {8, -big}}), 0.0F);
  EXPECT_EQ(sum_of_column(24, {{0, big}, {8, -big}, {16, 1.0F}}), 1.0F);
  EXPECT_EQ(sum_of_column(24, {{0, 1.0F}, {8, big}, {16, -big}}), 0.0F);
}

TEST(ReferenceSum, PanelsGetLongerWhenThereWouldBeTooMany) {
  // 262145 lines of one element: panels of 9, so lines 0 and 8 share a panel, 0 and 9 do not.
  EXPECT_EQ(sum_of_column(262145, {{0, big}, {8, -big}, {9, 1.0F}}), 1.0F);
  EXPECT_EQ(sum_of_column(262145, {{0, big}, {8, 1.0F}, {9, -big}}), 0.0F);
  EXPECT_EQ(sum_of_column(262145, {{0, big}, {9, 1.0F}, {10, -big}}), 1.0F);
}

TEST(ReferenceSum, TurnsMinusZeroIntoZero) {
  // -tiny * tiny underflows to -0 in every lane and every panel.
  float const tiny = std::ldexp(1.0F, -149);
  std::vector<float> const line(512, tiny);
  std::vector<float> const x(512, -tiny);
  EXPECT_FALSE(std::signbit(reference::dot<float>({line.data(), 1, 512, 512}, x).front()));
  EXPECT_FALSE(std::signbit(reference::sum<float>({line.data(), 512, 1, 1}, x).front()));
}

TEST(ReferenceMultiply, UsesTheLinesOfEitherOrderAndSkipsPadding) {
  //  1 2 3        row-major with leading dimension 4, column-major with leading dimension 3
  //  4 5 6
  std::vector<double> const rows{1, 2, 3, -99, 4, 5, 6, -99};
  std::vector<double> const columns{1, 4, -99, 2, 5, -99, 3, 6, -99};
  for (Matrix<double> const& A : {Matrix<double>{rows.data(), 2, 3, 4, Order::row_major},
                                  Matrix<double>{columns.data(), 2, 3, 3, Order::column_major}}) {
    EXPECT_THAT(reference::multiply(A, {1, 10, 100}), ElementsAre(321, 654));
    EXPECT_THAT(reference::multiply_transposed(A, {1, 10}), ElementsAre(41, 52, 63));
    EXPECT_THAT(reference::atax(A, {1, 0, -1}), ElementsAre(-10, -14, -18));
  }
}

TEST(ReferenceMultiply, OrderOfSummationIsThatOfTheLayout) {
  // One row of four: four lanes and their tree, or four columns in one chain.
  std::vector<float> const row{big, 1.0F, -big, -1.0F};
  std::vector<float> const ones(4, 1.0F);
  EXPECT_THAT(reference::multiply<float>({row.data(), 1, 4, 4, Order::row_major}, ones),
              same_bits_as<float>({0.0F}));
  EXPECT_THAT(reference::multiply<float>({row.data(), 1, 4, 1, Order::column_major}, ones),
              same_bits_as<float>({-1.0F}));
}

}  // namespace
