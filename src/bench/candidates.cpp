// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bench/candidates.hpp>
#include <bit>
#include <cstdint>

namespace tessera::bench {
namespace {

constexpr std::array<int, 4> steps = {1, 2, 4, 8};

std::vector<Index> around(Index value, Index most) {
  std::vector<Index> values;
  value = std::clamp(value, Index{1}, most);
  auto const add = [&](Index each) {
    each = std::clamp(each, Index{1}, most);
    if (std::ranges::find(values, each) == values.end()) values.push_back(each);
  };
  for (Index const divisor : {Index{1}, Index{2}, Index{4}}) add(value / divisor);
  for (Index const factor : {Index{2}, Index{4}})
    add(value > most / factor ? most : value * factor);
  return values;
}

Index power_from(Index value) {
  return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(std::max(value, Index{1}))));
}

template <class Tuning>
void add_new(std::vector<Tuning>& all, Tuning const& tuning) {
  if (std::ranges::find(all, tuning) == all.end()) all.push_back(tuning);
}

std::string field(char const* name, Index value) {
  return std::string(name) + " " + std::to_string(value);
}

}  // namespace

std::vector<DotTuning> dot_candidates(DotTuning const& choice, LinesOf const& lines) {
  std::vector<DotTuning> all = {choice};
  for (int const step : steps) {
    for (Index const per_team : around(choice.lines_per_team, lines.count)) {
      for (Index const run : {choice.segments_per_run, Index{0}, Index{8}, Index{32}}) {
        add_new(all, {.lines_per_step = step,
                      .lines_per_team = per_team,
                      .segments_per_run = run >= lines.segments ? 0 : run});
      }
    }
  }
  return all;
}

std::vector<SumTuning> sum_candidates(SumTuning const& choice, LinesOf const& lines) {
  std::vector<SumTuning> all = {choice};
  for (int const step : steps) {
    for (Index const columns : around(choice.columns_per_team, lines.length)) {
      for (Index const panels : around(choice.panels_per_team, power_from(lines.panels))) {
        add_new(all,
                {.lines_per_step = step, .columns_per_team = columns, .panels_per_team = panels});
      }
    }
  }
  return all;
}

std::vector<FusedLinesTuning> fused_lines_candidates(FusedLinesTuning const& choice,
                                                     LinesOf const& lines) {
  std::vector<FusedLinesTuning> all = {choice};
  for (int const step : steps) {
    for (bool const together : {true, false}) {
      for (Index const panels : around(choice.panels_per_team, power_from(lines.panels))) {
        add_new(all,
                {.lines_per_step = step, .dot_side_by_side = together, .panels_per_team = panels});
      }
    }
  }
  return all;
}

std::vector<FusedTilesTuning> fused_tiles_candidates(FusedTilesTuning const& choice,
                                                     LinesOf const& lines) {
  std::vector<FusedTilesTuning> all = {choice};
  Index const most = power_from(lines.segments);
  for (int const step : steps) {
    for (Index const segments : around(choice.segments_per_tile, most)) {
      for (Index const tiles : around(choice.tiles_per_team, most)) {
        add_new(all,
                {.segments_per_tile = segments, .tiles_per_team = tiles, .lines_per_step = step});
      }
    }
  }
  return all;
}

std::vector<TransposeTuning> transpose_candidates(TransposeTuning const& choice, Index rows,
                                                  bool is_gpu) {
  std::vector<TransposeTuning> all = {choice};
  auto const add_bands = [&](TransposeTuning tuning) {
    Index const tiles = summation::ceil_div(rows, Index{tuning.tile_rows});
    for (Index const band : {Index{1}, Index{8}, Index{32}, tiles}) {
      tuning.band = std::min(band, tiles);
      add_new(all, tuning);
    }
  };
  if (is_gpu) {
    for (int const tile : {32, 64, 128}) {
      for (int const threads : {128, 256, 512}) {
        add_bands({.tile_rows = tile, .tile_cols = tile, .team_size = threads});
      }
    }
    return all;
  }
  for (int const tile_rows : {32, 64, 128, 256}) {
    for (int const tile_cols : {32, 64, 128, 256}) {
      for (bool const stream : {true, false}) {
        add_bands({.tile_rows = tile_rows, .tile_cols = tile_cols, .stream = stream});
      }
    }
  }
  return all;
}

std::vector<GemmTuning> gemm_candidates(GemmTuning const& choice, bool is_gpu) {
  std::vector<GemmTuning> all = {choice};
  auto const add_bands = [&](int rows, int cols, int depth) {
    for (Index const band : {choice.band, Index{1}, Index{4}, Index{8}, Index{16}}) {
      add_new(all, {.tile_rows = rows, .tile_cols = cols, .tile_depth = depth, .band = band});
    }
  };
  if (is_gpu) {
    for (int const rows : {32, 64, 128, 256}) {
      for (int const cols : {32, 64, 128, 256}) {
        for (int const depth : {8, 16, 32}) add_bands(rows, cols, depth);
      }
    }
    return all;
  }
  constexpr Index most = 4096;
  for (Index const rows : around(choice.tile_rows, most)) {
    for (Index const cols : around(choice.tile_cols, most)) {
      for (int const depth : {128, 256, 512}) {
        add_new(all, {.tile_rows = static_cast<int>(rows),
                      .tile_cols = static_cast<int>(cols),
                      .tile_depth = depth,
                      .band = choice.band});
      }
    }
  }
  return all;
}

std::string to_string(DotTuning const& tuning) {
  return field("lines_per_step", tuning.lines_per_step) + ", " +
         field("lines_per_team", tuning.lines_per_team) + ", " +
         field("segments_per_run", tuning.segments_per_run);
}
std::string to_string(SumTuning const& tuning) {
  return field("lines_per_step", tuning.lines_per_step) + ", " +
         field("columns_per_team", tuning.columns_per_team) + ", " +
         field("panels_per_team", tuning.panels_per_team);
}
std::string to_string(FusedLinesTuning const& tuning) {
  return field("lines_per_step", tuning.lines_per_step) + ", " +
         field("dot_side_by_side", tuning.dot_side_by_side ? 1 : 0) + ", " +
         field("panels_per_team", tuning.panels_per_team);
}
std::string to_string(FusedTilesTuning const& tuning) {
  return field("segments_per_tile", tuning.segments_per_tile) + ", " +
         field("tiles_per_team", tuning.tiles_per_team) + ", " +
         field("lines_per_step", tuning.lines_per_step);
}
std::string to_string(TransposeTuning const& tuning) {
  return field("tile_rows", tuning.tile_rows) + ", " + field("tile_cols", tuning.tile_cols) + ", " +
         field("team_size", tuning.team_size) + ", " + field("band", tuning.band) + ", " +
         field("stream", tuning.stream ? 1 : 0);
}

std::string to_string(GemmTuning const& tuning) {
  return field("tile_rows", tuning.tile_rows) + ", " + field("tile_cols", tuning.tile_cols) + ", " +
         field("tile_depth", tuning.tile_depth) + ", " + field("band", tuning.band);
}

}  // namespace tessera::bench
