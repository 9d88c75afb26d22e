// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/tunings.hpp"

#include <limits>

#include "support/data.hpp"

namespace tessera {

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

namespace tessera::test {

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

}  // namespace tessera::test
