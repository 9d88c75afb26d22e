// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bench/candidates.hpp>
#include <limits>

#include <gmock/gmock.h>

#include <tessera/checks.hpp>

namespace tessera::bench {
namespace {

constexpr Index most = std::numeric_limits<Index>::max();

constexpr LinesOf shapes[] = {{.count = 1, .length = 1, .segments = 1, .panels = 1},
                              {.count = 8192, .length = 8192, .segments = 32, .panels = 1024},
                              {.count = 3, .length = most, .segments = most / 512, .panels = 1},
                              {.count = most, .length = 5, .segments = 1, .panels = 32768}};

template <class Part>
void expect_a_grid(std::vector<Part> const& all, Part const& choice, Part Tuning::* part) {
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front(), choice);
  for (auto each = all.begin(); each != all.end(); ++each) {
    EXPECT_EQ(std::find(all.begin(), each, *each), each) << to_string(*each);
    Tuning tuning;
    tuning.*part = *each;
    EXPECT_NO_THROW(checks::require_valid(tuning)) << to_string(*each);
  }
}

TEST(BenchCandidates, BeginWithTheChoiceAreValidAndNoneIsThereTwice) {
  for (auto const& lines : shapes) {
    for (Index const wide : {Index{1}, Index{64}, Index{1} << 40}) {
      DotTuning const dot{.lines_per_step = 4, .lines_per_team = wide, .segments_per_run = wide};
      expect_a_grid(dot_candidates(dot, lines), dot, &Tuning::dot);
      SumTuning const sum{.lines_per_step = 8, .columns_per_team = wide, .panels_per_team = wide};
      expect_a_grid(sum_candidates(sum, lines), sum, &Tuning::sum);
      FusedLinesTuning const fused{.panels_per_team = wide};
      expect_a_grid(fused_lines_candidates(fused, lines), fused, &Tuning::fused_lines);
      FusedTilesTuning const tiles{.segments_per_tile = wide, .tiles_per_team = wide};
      expect_a_grid(fused_tiles_candidates(tiles, lines), tiles, &Tuning::fused_tiles);
    }
  }
}

TEST(BenchCandidates, HaveEveryStepAndTeamsFourTimesSmallerAndLarger) {
  auto const all = sum_candidates({.columns_per_team = 1024, .panels_per_team = 8}, shapes[1]);
  for (int const step : {1, 2, 4, 8}) {
    for (Index const columns : {256, 512, 1024, 2048, 4096}) {
      for (Index const panels : {2, 4, 8, 16, 32}) {
        SumTuning const wanted{step, columns, panels};
        EXPECT_NE(std::ranges::find(all, wanted), all.end()) << to_string(wanted);
      }
    }
  }
}

TEST(BenchCandidates, OfTransposesHaveSquareTilesOnGpusAndTeamsOfOneOnHosts) {
  TransposeTuning const choice{.tile_rows = 64, .tile_cols = 64, .team_size = 256, .band = 5};
  auto const gpu = transpose_candidates(choice, 1000, true);
  EXPECT_EQ(gpu.front(), choice);
  for (auto const& each : gpu) {
    EXPECT_EQ(each.tile_rows, each.tile_cols);
    EXPECT_GE(each.team_size, 128);
    EXPECT_NO_THROW(checks::require_valid(each));
  }
  auto const host = transpose_candidates(TransposeTuning{}, 1000, false);
  for (auto const& each : host) {
    EXPECT_EQ(each.team_size, 1);
    EXPECT_EQ(std::ranges::count(host, each), 1);
    EXPECT_NO_THROW(checks::require_valid(each));
  }
}

TEST(BenchCandidates, OfProductsBeginWithTheChoiceAndNoneIsThereTwice) {
  for (bool const is_gpu : {true, false}) {
    GemmTuning const choice{.tile_rows = 384, .tile_cols = 512, .tile_depth = 256, .band = 3};
    auto const all = gemm_candidates(choice, is_gpu);
    EXPECT_EQ(all.front(), choice);
    EXPECT_GT(all.size(), 20u);
    for (auto const& each : all) {
      EXPECT_EQ(std::ranges::count(all, each), 1) << to_string(each);
      EXPECT_NO_THROW(checks::require_valid(each));
    }
  }
}

TEST(BenchCandidates, AreSaidInWordsThatTellThemApart) {
  auto const all = fused_lines_candidates({}, shapes[1]);
  for (auto const& a : all) {
    for (auto const& b : all) EXPECT_EQ(to_string(a) == to_string(b), a == b);
  }
}

}  // namespace
}  // namespace tessera::bench
