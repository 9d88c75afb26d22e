// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/reference.hpp"

#include <cmath>
#include <map>
#include <vector>

#include <gmock/gmock.h>

#include "support/host_matrix.hpp"
#include "support/same_bits.hpp"
#include "support/shapes.hpp"
#include "support/whole_arithmetic.hpp"

/// Cases worked out by hand. 2^24 + 1 rounds to 2^24, so a 1 survives next to 2^24 and -2^24 only
/// if those are added first.
namespace {

using reference::Index;
using reference::Matrix;
using reference::Order;
using tessera::test::same_bits_as;
using testing::ElementsAre;

constexpr float big = 16777216.0F;  // 2^24

template <class T>
struct DotOrder {
  Index lanes;
  T big;  // least value with big + 1 = big
};

DotOrder<float> const float_order{64, big};
DotOrder<double> const double_order{32, 9007199254740992.0};

template <class T>
T dot_with_ones(Index length, std::map<Index, T> const& places) {
  std::vector<T> const line(static_cast<std::size_t>(length), T(1));
  std::vector<T> x(line.size(), T(0));
  for (auto const& [place, value] : places) x[static_cast<std::size_t>(place)] = value;
  return reference::dot<T>({line.data(), 1, length, length}, x).front();
}

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
  // ((x0+x1)+(x2+x3)) + ((x4+0)+(0+0)).
  EXPECT_EQ(reference::tree<float>({big, 1.0F, 1.0F, 1.0F, -big}), 2.0F);
}

template <class T>
void expect_lanes(DotOrder<T> order) {
  auto const [L, b] = order;
  EXPECT_EQ(dot_with_ones<T>(4 * L, {{0, b}, {1, 1}, {L, -b}}), T(1));
  EXPECT_EQ(dot_with_ones<T>(4 * L, {{0, b}, {1, 1}, {L - 1, -b}}), T(0));
  EXPECT_EQ(dot_with_ones<T>(4 * L, {{0, b}, {1, -1}, {L + 1, -b}}), T(0));
  EXPECT_EQ(dot_with_ones<T>(4 * L, {{L - 1, b}, {L - 2, 1}, {2 * L - 1, -b}}), T(1));
}

TEST(ReferenceDot, LanesAre64FloatsOr32DoublesApart) {
  expect_lanes(float_order);
  expect_lanes(double_order);
}

template <class T>
void expect_forward_chain(DotOrder<T> order) {
  auto const [L, b] = order;
  EXPECT_EQ(dot_with_ones<T>(4 * L, {{0, b}, {L, 1}, {2 * L, -b}}), T(0));
  EXPECT_EQ(dot_with_ones<T>(4 * L, {{0, b}, {L, -b}, {2 * L, 1}}), T(1));
  EXPECT_EQ(dot_with_ones<T>(4 * L, {{0, 1}, {L, b}, {2 * L, -b}}), T(0));
}

TEST(ReferenceDot, ALanesChainRunsForward) {
  expect_forward_chain(float_order);
  expect_forward_chain(double_order);
}

template <class T>
void expect_chains_of_four(DotOrder<T> order) {
  auto const [L, b] = order;
  EXPECT_EQ(dot_with_ones<T>(8 * L, {{0, b}, {1, 1}, {3 * L, -b}}), T(1));
  EXPECT_EQ(dot_with_ones<T>(8 * L, {{0, b}, {1, 1}, {4 * L, -b}}), T(0));
}

TEST(ReferenceDot, AChainEndsAfterFourStepsWithItsSegment) {
  expect_chains_of_four(float_order);
  expect_chains_of_four(double_order);
}

template <class T>
void expect_tree(DotOrder<T> order) {
  auto const [L, b] = order;
  EXPECT_EQ(dot_with_ones<T>(L, {{0, b}, {1, -b}, {2, 1}}), T(1));
  EXPECT_EQ(dot_with_ones<T>(L, {{0, b}, {2, -b}, {1, 1}}), T(0));
  EXPECT_EQ(dot_with_ones<T>(12 * L, {{0, b}, {4 * L, -b}, {8 * L, 1}}), T(1));
  EXPECT_EQ(dot_with_ones<T>(12 * L, {{0, 1}, {4 * L, b}, {8 * L, -b}}), T(0));
  EXPECT_EQ(dot_with_ones<T>(8 * L, {{0, b}, {L - 1, -b}, {4 * L, 1}}), T(1));
  EXPECT_EQ(dot_with_ones<T>(8 * L, {{0, b}, {L - 1, 1}, {4 * L, -b}}), T(0));
}

TEST(ReferenceDot, TheTreeRunsOverLanesThenSegments) {
  expect_tree(float_order);
  expect_tree(double_order);
}

TEST(ReferenceDot, MultipliesAndAddsWithOneRounding) {
  float const x = 1.0F + std::ldexp(1.0F, -12);  // x * x = 1 + 2^-11 + 2^-24 needs 25 bits
  std::vector<float> line(128, 0.0F);
  std::vector<float> factors(128, 0.0F);
  line[0] = 1.0F;
  factors[0] = -(1.0F + std::ldexp(1.0F, -11));
  line[64] = x;
  factors[64] = x;
  EXPECT_EQ(reference::dot<float>({line.data(), 1, 128, 128}, factors).front(),
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
  // Panels of 9: lines 0 and 8 share one, 0 and 9 do not.
  EXPECT_EQ(sum_of_column(262145, {{0, big}, {8, -big}, {9, 1.0F}}), 1.0F);
  EXPECT_EQ(sum_of_column(262145, {{0, big}, {8, 1.0F}, {9, -big}}), 0.0F);
  EXPECT_EQ(sum_of_column(262145, {{0, big}, {9, 1.0F}, {10, -big}}), 1.0F);
}

TEST(ReferenceSum, HasThePanelsOfTheFormula) {
  struct Row {
    Index count, length, lines, panels;
  };
  constexpr Index two_to_40 = 1099511627776;
  for (Row const row : {Row{1, 1, 8, 1},
                        Row{8, 5, 8, 1},               //
                        Row{9, 5, 8, 2},               //
                        Row{1797, 64, 8, 225},         // 224.6 panels of 8
                        Row{262144, 1, 8, 32768},      // most panels
                        Row{262145, 1, 9, 29128},      // panels of 9
                        Row{4194304, 64, 128, 32768},  // 2^22 / 64 = 65536 is clamped
                        Row{1048576, 256, 64, 16384},
                        Row{1048576, 1024, 256, 4096},  //
                        Row{1000, 16384, 8, 125},       // 256 clamped to 1024
                        Row{16384, 16384, 16, 1024},    //
                        Row{16385, 16384, 17, 964},     // 963.8
                        Row{100, 16385, 8, 13},         // long lines
                        Row{10000, 16385, 20, 500},     // 8 * floor(2^20 / 16385) = 504
                        Row{4096, 65536, 32, 128},      // 8 * 16 = 128
                        Row{1024, 1048576, 128, 8},     // 8 * 1
                        Row{1024, 1048577, 128, 8},     // 8 * max(1, 0)
                        Row{64, 4194304, 8, 8},         //
                        Row{two_to_40, 3, two_to_40 / 32768, 32768},
                        Row{3, two_to_40, 8, 1},                         //
                        Row{two_to_40, two_to_40, two_to_40 / 8, 8}}) {  //
    EXPECT_EQ(reference::panel_lines(row.count, row.length), row.lines)
        << row.count << " lines of " << row.length;
    EXPECT_EQ(reference::panel_count(row.count, row.length), row.panels)
        << row.count << " lines of " << row.length;
  }
}

TEST(ReferenceSum, TurnsMinusZeroIntoZero) {
  // -tiny * tiny underflows to -0.
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
  // Four lanes and their tree, or four columns in one chain.
  std::vector<float> const rows{big, 1.0F, -big, -1.0F, big, 1.0F, -big, -1.0F};
  std::vector<float> const columns{big, big, 1.0F, 1.0F, -big, -big, -1.0F, -1.0F};
  std::vector<float> const ones(4, 1.0F);
  EXPECT_THAT(reference::multiply<float>({rows.data(), 2, 4, 4, Order::row_major}, ones),
              same_bits_as<float>({0.0F, 0.0F}));
  EXPECT_THAT(reference::multiply<float>({columns.data(), 2, 4, 2, Order::column_major}, ones),
              same_bits_as<float>({-1.0F, -1.0F}));
  // A single row counts as row-major.
  EXPECT_THAT(reference::multiply<float>({rows.data(), 1, 4, 1, Order::column_major}, ones),
              same_bits_as<float>({0.0F}));
}

TEST(Reference, IsExactOnWholeNumbersOfEveryShape) {
  using namespace tessera::test;
  for (Shape const& shape : all_shapes()) {
    for (Order const order : {Order::row_major, Order::column_major}) {
      auto const [A, v, B] = whole_problem<float>(shape, order, 5, {.lines = 1, .after = 3});
      EXPECT_THAT(reference::multiply(A.for_reference(), v), same_bits_as(whole::multiply(A, v)))
          << shape;
      EXPECT_THAT(reference::multiply_transposed(A.for_reference(), B),
                  same_bits_as(whole::multiply_transposed(A, B)))
          << shape;
      EXPECT_THAT(reference::atax(A.for_reference(), v), same_bits_as(whole::atax(A, v))) << shape;
    }
  }
}

}  // namespace
