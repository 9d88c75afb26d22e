// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <ostream>
#include <vector>

#include <tessera/backends/backends.hpp>
#include <tessera/tuning.hpp>

#include "support/case_test.hpp"
#include "support/methods.hpp"

namespace tessera {

/// For messages of failed tests.
void PrintTo(Tuning const& tuning, std::ostream* out) {
  auto const& [dot, sum, fused_lines, fused_tiles, prefer_fused] = tuning;
  *out << "{dot {" << dot.lines_per_step << ", " << dot.lines_per_team << ", "
       << dot.segments_per_run << "}, sum {" << sum.lines_per_step << ", " << sum.columns_per_team
       << ", " << sum.panels_per_team << "}, fused_lines {" << fused_lines.lines_per_step << ", "
       << fused_lines.dot_side_by_side << ", " << fused_lines.panels_per_team << "}, fused_tiles {"
       << fused_tiles.segments_per_tile << ", " << fused_tiles.tiles_per_team << ", "
       << fused_tiles.lines_per_step << "}, prefer_fused " << prefer_fused << "}";
}

}  // namespace tessera

/// A tuning says who adds what, never in which order.
namespace tessera::test {
namespace {

/// Tunings that are extreme, or that no backend would choose.
std::vector<Tuning> odd_tunings() {
  constexpr Index many = Index{1} << 20;
  constexpr Index most = std::numeric_limits<Index>::max();
  constexpr Index largest_power = Index{1} << 62;
  return {
      {.dot = {1, 1, 1}, .sum = {1, 1, 1}, .fused_lines = {1, true, 1}, .fused_tiles = {1, 1, 1}},
      {.dot = {8, many, 0},
       .sum = {8, many, 1},
       .fused_lines = {8, false, many},
       .fused_tiles = {1, many, 8}},
      {.dot = {4, 3, 2}, .sum = {2, 37, 2}, .fused_lines = {2, true, 4}, .fused_tiles = {2, 2, 2}},
      {.dot = {2, 5, 64},
       .sum = {4, 1000, 16},
       .fused_lines = {4, false, 2},
       .fused_tiles = {4, 8, 4}},
      {.dot = {8, 1, many},
       .sum = {1, 129, many},
       .fused_lines = {1, true, 32},
       .fused_tiles = {8, 1, 1}},
      {.dot = {4, most, largest_power},
       .sum = {4, most, largest_power},
       .fused_lines = {4, true, largest_power},
       .fused_tiles = {largest_power, largest_power, 4}},
      {.dot = {1, 7, 8}, .sum = {8, 7, 4}, .fused_lines = {8, false, 8}, .fused_tiles = {1, 4, 2}},
  };
}

/// A tuning with every field drawn at random.
Tuning random_tuning(std::uint64_t seed) {
  std::uint64_t drawn = 0;
  auto const below = [&](int limit) {
    return static_cast<int>(
        ((random_bits(seed, drawn++) >> 32) * static_cast<std::uint64_t>(limit)) >> 32);
  };
  auto const power = [&](int limit) { return Index{1} << below(limit); };
  auto const step = [&] { return 1 << below(4); };
  Tuning tuning;
  tuning.dot = {step(), 1 + below(300), below(3) == 0 ? 0 : power(8)};
  tuning.sum = {step(), 1 + below(3000), power(12)};
  tuning.fused_lines = {step(), below(2) == 1, power(12)};
  tuning.fused_tiles = {power(5), power(10), step()};
  tuning.prefer_fused = below(2) == 1;
  return tuning;
}

template <class C>
class Tunings : public CaseTest<C> {
 protected:
  using T = typename C::Scalar;

  void expect_no_change(std::vector<Shape> const& shapes, std::vector<Tuning> const& tunings) {
    for (Shape const& shape : shapes) {
      auto const [A, v, B] = real_problem<T>(shape, C::order, 81);
      auto const product = reference::multiply(A.for_reference(), v);
      auto const transposed_product = reference::multiply_transposed(A.for_reference(), B);
      auto const pair = reference::multiply_transposed(A.for_reference(), product);
      for (Tuning const& tuning : tunings) {
        SCOPED_TRACE(testing::PrintToString(shape) + " with " + testing::PrintToString(tuning));
        Call call{.tuning = tuning, .kept_workspace = true};
        EXPECT_THAT(this->runner().multiply(A, v, call), same_bits_as(product));
        EXPECT_THAT(this->runner().multiply_transposed(A, B, call),
                    same_bits_as(transposed_product));
        for (Method const method : all_methods) {
          call.method = method;
          EXPECT_THAT(this->runner().atax(A, v, call), same_bits_as(pair)) << name_of(method);
        }
      }
    }
  }
};
TYPED_TEST_SUITE(Tunings, Cases, CaseName);

TYPED_TEST(Tunings, ThatAreOddChangeNoBit) {
  this->expect_no_change(few_shapes(), odd_tunings());
}

TYPED_TEST(Tunings, DrawnAtRandomChangeNoBit) {
  std::vector<Tuning> tunings;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) tunings.push_back(random_tuning(seed));
  this->expect_no_change(
      {{1, 1}, {97, 513}, {513, 97}, {300, 1300}, {1300, 300}, {2500, 7}, {7, 2500}}, tunings);
}

TYPED_TEST(Tunings, ThatTheBackendChoosesForOtherShapesChangeNoBit) {
  using Backend = backends::Backend<typename TypeParam::Exec>;
  using T = typename TypeParam::Scalar;
  typename TypeParam::Exec const exec;
  std::vector<Tuning> tunings;
  for (Shape const& shape : few_shapes()) {
    for (Tuning const& tuning :
         {Backend::template row_major_tuning<T>(exec, shape.rows, shape.cols),
          Backend::template column_major_tuning<T>(exec, shape.rows, shape.cols)}) {
      if (std::ranges::find(tunings, tuning) == tunings.end()) tunings.push_back(tuning);
    }
  }
  ASSERT_GT(tunings.size(), 4U);
  this->expect_no_change({{97, 513}, {1300, 300}, {7, 2500}}, tunings);
}

}  // namespace
}  // namespace tessera::test
