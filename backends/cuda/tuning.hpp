// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <tessera/order/powers.hpp>
#include <tessera/tuning.hpp>

/// Evidence is in benchmarks/results/tuning.md; benchmarks/verify_tuning.py measures it again.
namespace tessera::backends::cuda {

using detail::ceil_power_of_two;
using detail::floor_power_of_two;
using detail::most_teams;
using summation::ceil_div;
using summation::Index;

inline constexpr Index warps_per_multiprocessor = 16;
/// Bytes of a line per team, if fused ATAX splits lines across teams.
inline constexpr Index part_bytes = 8 * 1024;

/// See backends/gpu/fused_ring.hpp.
struct Ring {
  Index teams = 0;  ///< per cluster; 0: no ring
  int warps = 0;
  int slots = 0;           ///< lines that scratch holds
  Index side_by_side = 0;  ///< teams per multiprocessor
};

/// Lines that do not start on words take half as many instructions again, so they get more warps
/// with fewer slots. Evidence: cuda-ring.
template <class T>
Ring ring(summation::Panels const& panels, Index length, bool on_words) {
  constexpr Index piece = 4096;  // bytes per warp
  constexpr Index most_warps = 16;
  constexpr Index fewest_panels = 64;  // fewer need more lines of each in flight
  constexpr Index many_lines = 16;     // 256 MiB of lines of 4 and 8 KiB
  Index const bytes = length * static_cast<Index>(sizeof(T));
  Index const pieces = ceil_div(bytes, piece);
  if (2 * bytes <= piece || pieces > 4 * most_warps) return {};
  if (panels.count < fewest_panels) return {};
  bool const wastes_warps = 4 * bytes < 3 * piece * pieces;
  if (pieces <= 2 && (!on_words || wastes_warps || panels.lines < many_lines)) return {};
  Ring result;
  result.teams = pieces <= 8 ? 1 : pieces <= 2 * most_warps ? 2 : 4;
  if (!on_words && result.teams > 2) return {};
  result.warps = static_cast<int>(ceil_div(pieces, result.teams));
  if (on_words) {
    result.side_by_side = result.teams == 1                        ? ceil_div(8, result.warps)
                          : result.warps <= 6 && result.teams == 2 ? 2
                                                                   : 1;
    result.slots = result.teams == 2 && (result.warps > 10 || result.warps == 6) ? 1 : 2;
  } else {
    result.side_by_side = result.warps > 8 ? 1 : std::max(Index{2}, ceil_div(8, result.warps));
    result.slots = result.warps <= 5 || (result.warps > 8 && result.warps <= 10) ? 2 : 1;
  }
  return result;
}

/// Lines of narrow elements arrive sooner than their products are exchanged: more teams work
/// meanwhile.
template <class T>
Ring ring_of_narrow(summation::Panels const& panels, Index length) {
  constexpr Index warps_of_multiprocessor = 16;
  Ring result = ring<T>(panels, length, true);
  if (result.teams > 0) {
    result.side_by_side = std::max(result.side_by_side, warps_of_multiprocessor / result.warps);
    result.slots = 2;
  }
  return result;
}

/// Two vectors: half the elements of a line per warp. Clusters of four take longer than two stages.
/// See docs/decisions/one-read-for-many-vectors.md.
template <class T>
Ring ring_of_pair(summation::Panels const& panels, Index length) {
  constexpr Index piece = 2048;
  constexpr Index most_warps = 16;
  constexpr Index fewest_panels = 64;
  Index const pieces = ceil_div(length * static_cast<Index>(sizeof(T)), piece);
  if (pieces < 2 || pieces > 2 * most_warps || panels.count < fewest_panels) return {};
  Ring result;
  result.teams = ceil_div(pieces, most_warps);
  result.warps = static_cast<int>(ceil_div(pieces, result.teams));
  result.side_by_side = most_warps / result.warps;
  result.slots = 2;
  return result;
}

/// Of `columns` vectors, 1 or 2, and elements of `element_bytes`; a pair is of scalars.
template <class T>
Ring ring_of(summation::Panels const& panels, Index length, bool on_words, int columns,
             int element_bytes) {
  if (columns == 2) return ring_of_pair<T>(panels, length);
  bool const narrow = element_bytes < static_cast<int>(sizeof(T));
  return narrow ? ring_of_narrow<T>(panels, length) : ring<T>(panels, length, on_words);
}

/// Whether a ring fuses two vectors.
template <class T>
bool fuse_pairs(summation::Panels const& panels, Index length) {
  return ring_of_pair<T>(panels, length).teams > 0;
}

/// Clusters of four do not fill all multiprocessors: an H200 runs 30.
inline Index clusters_at_once(Ring const& ring, Index multiprocessors) {
  Index const teams = multiprocessors * ring.side_by_side / ring.teams;
  return std::max(Index{1}, ring.teams < 4 ? teams : teams * 9 / 10);
}

/// Teams of 128 threads that may wait for each other: a tenth of those that run at once. See
/// docs/decisions/teams-share-long-lines.md.
template <class Exec>
Index teams_that_meet(Exec const& exec) {
  return exec.concurrency() / 4096;
}

/// Whether loads fetch 256 bytes at once. Evidence: cuda-blocks.
inline bool fetches_blocks(int memory_bus_bits) {
  return memory_bus_bits <= 5120;
}

/// A larger sum is evicted before it is read, so writing it through is cheaper. Evidence:
/// cuda-kept-sums.
inline bool stays_in_cache(Index bytes, Index cache_bytes) {
  return bytes <= cache_bytes / 3;
}

/// Minimises the time of all waves of `slots` teams. Starting a team takes as long as `start`
/// lines.
inline Index panels_of_part(summation::Panels const& panels, Index parts, Index slots) {
  constexpr Index start = 8;
  auto const time = [&](Index of_team) {
    Index const waves = ceil_div(ceil_div(panels.count, of_team) * parts, slots);
    return waves * (of_team * panels.lines + start);
  };
  Index best = 1;
  for (Index of_team = 2; of_team < 2 * panels.count; of_team *= 2) {
    if (time(of_team) <= time(best)) best = of_team;
  }
  return best;
}

inline Index percent_busy(Index teams, Index slots) {
  return 100 * teams / (ceil_div(teams, slots) * slots);
}

/// Short lines: a warp or half of one each, in teams of few lines. Longer lines: two teams per
/// multiprocessor. Evidence: cuda-dot.
template <class T>
DotTuning dot_tuning(Index count, Index length, Index multiprocessors) {
  constexpr Index kib = 1024;
  constexpr Index warps_of_team = 8;
  constexpr Index longest_short = 2 * kib;
  Index const bytes = length * static_cast<Index>(sizeof(T));
  DotTuning result;
  result.lines_per_step = bytes <= kib / 2 ? 4 : bytes <= 4 * kib ? 2 : 1;
  bool const of_eight = sizeof(T) == 8 && bytes > 16 * kib && bytes <= 48 * kib;
  Index lines = bytes <= kib / 4   ? std::min(kib, floor_power_of_two(16 * kib / bytes))
                : bytes <= kib / 2 ? 128
                : bytes <= 4 * kib ? 32
                : of_eight         ? 8
                                   : 16;
  if (bytes <= longest_short) {
    while (lines > 32 && count < lines * 3 * multiprocessors) lines /= 2;
  } else {
    Index const slots = 2 * multiprocessors;
    auto const use = [&](Index of_team) { return percent_busy(ceil_div(count, of_team), slots); };
    if (count < 64 * slots) lines = 32;
    for (Index fewer = lines / 2; fewer >= warps_of_team; fewer /= 2) {
      if (use(fewer) > use(lines) + 5) lines = fewer;
    }
    if (lines < result.lines_per_step * warps_of_team) result.lines_per_step = 1;
  }
  result.lines_per_team = lines;
  bool const few_lines = count < 4 * multiprocessors;
  constexpr Index segments = 16;
  constexpr Index block = segments * warps_of_team * kib;
  bool const shared_well = 10 * ceil_div(bytes, block) * block <= 11 * bytes;
  if (!few_lines) {
    if (bytes > 96 * kib && shared_well) {
      result = {.lines_per_step = 1, .lines_per_team = 2, .segments_per_run = segments};
    }
  } else if (bytes >= kib * kib) {
    bool const shorter = sizeof(T) == 4 && bytes <= 4 * kib * kib;
    Index const most_lines = count >= 15 * 16 ? 16 : 8;
    result = {.lines_per_step = 2,
              .lines_per_team = shorter ? most_lines : 4,
              .segments_per_run = shorter ? 8 : 32};
  } else if (bytes > 8 * kib) {
    result = {.lines_per_step = 1, .lines_per_team = 1, .segments_per_run = 8};
  }
  Index const run_bytes = result.segments_per_run * warps_of_team * kib;
  Index const run_blocks = run_bytes == 0 ? 1 : ceil_div(bytes, run_bytes);
  result.lines_per_team = std::max(result.lines_per_team, ceil_div(count, most_teams / run_blocks));
  return result;
}

/// A warp handles 512 bytes per line, so a team adds eight panels at a time. Small matrices: at
/// most a team per multiprocessor, so that the last one combines the sums. Larger: one nearly full
/// wave, otherwise four. Evidence: cuda-sum.
template <class T>
SumTuning sum_tuning(Index count, Index length, Index multiprocessors) {
  constexpr Index size = sizeof(T);
  constexpr Index team_threads = 256;
  constexpr Index width = 16 / size;
  summation::Panels const panels = summation::panels(count, length);
  auto const tiles_of = [&](Index columns) { return ceil_div(length, columns); };
  bool const few_panels = panels.count <= 32 && 4 * tiles_of(64) >= 3 * multiprocessors;

  constexpr Index mib = Index{1} << 20;
  constexpr bool is_float = size == 4;
  Index const bytes = count * length * size;
  bool const small = bytes <= 8 * mib && length >= 512;
  bool const narrow = is_float && length % width == 0 && bytes >= 64 * mib && bytes <= 512 * mib;
  bool const wide_teams = bytes >= 1024 * mib && length >= 1024;

  Index columns = small ? 128 : narrow ? 32 : 32 * width;
  if (few_panels) {
    columns = panels.count > 8 ? 128 * width : panels.lines >= 64 ? 256 : 512;
    while (columns > 64 && tiles_of(columns) < 3 * multiprocessors) columns /= 2;
  } else if (wide_teams) {
    Index const slots = multiprocessors * (is_float ? 2 : 4);
    Index const tiles = tiles_of(64 * width);
    Index const of_team = ceil_power_of_two(ceil_div(panels.count * tiles, slots));
    Index const teams = tiles * ceil_div(panels.count, of_team);
    if (10 * teams >= 9 * slots) {
      return {.lines_per_step = SumTuning{}.lines_per_step,
              .columns_per_team = 64 * width,
              .panels_per_team = of_team};
    }
  }
  Index const words = ceil_div(length, width);
  Index const most_words = columns / width;
  Index const wide = words / most_words > most_teams / 2
                         ? team_threads
                         : ceil_power_of_two(std::clamp(words, Index{8}, most_words));
  SumTuning result;
  result.columns_per_team = wide * width;
  Index const tiles = ceil_div(words, wide);
  Index const fewest =
      std::max(team_threads / wide, ceil_div(panels.count, std::max(Index{1}, most_teams / tiles)));
  Index const slots = multiprocessors * (small ? 1 : 4);
  Index const work = panels.count * tiles;
  Index of_team = ceil_power_of_two(few_panels ? panels.count : ceil_div(work, slots));
  bool const fills_a_wave = 4 * work >= 3 * slots * of_team;
  if (!few_panels && bytes >= 64 * mib && (bytes > 256 * mib || narrow || !fills_a_wave)) {
    Index const wanted = work / (4 * slots);
    Index const less = floor_power_of_two(std::max(Index{1}, wanted));
    of_team = 5 * wanted > 7 * less ? 2 * less : less;
    while (narrow && of_team > 1 &&
           percent_busy(tiles * ceil_div(panels.count, of_team), slots) < 90) {
      of_team /= 2;
    }
  }
  of_team = std::max(of_team, ceil_power_of_two(fewest));
  result.panels_per_team = of_team;
  return result;
}

template <class T>
Tuning tuning(Index count, Index length, Index multiprocessors, Ring const& ring) {
  constexpr Index warp_bytes = 2048;
  Index const line_bytes = length * static_cast<Index>(sizeof(T));
  Index const warps = multiprocessors * warps_per_multiprocessor;
  summation::Panels const panels = summation::panels(count, length);
  Tuning result;
  result.dot = dot_tuning<T>(count, length, multiprocessors);
  result.sum = sum_tuning<T>(count, length, multiprocessors);

  // Short lines: a worker per panel. Longer lines: all teams (512 threads per multiprocessor) or
  // clusters of rings run at once and end together. Evidence: cuda-fused.
  bool const is_ring = ring.teams > 0;
  Index const warps_of_team =
      ceil_div(line_bytes, line_bytes <= 16 * warp_bytes ? warp_bytes : 2 * warp_bytes);
  Index const teams = line_bytes <= warp_bytes ? panels.count
                      : is_ring                ? clusters_at_once(ring, multiprocessors)
                                               : warps / warps_of_team;
  result.fused_lines.panels_per_team =
      line_bytes > 32 * warp_bytes && !is_ring
          ? panels_of_part(panels, ceil_div(line_bytes, part_bytes), multiprocessors * 4)
          : ceil_power_of_two(ceil_div(panels.count, std::max(Index{1}, teams)));

  result.fused_tiles.segments_per_tile = 1;
  result.fused_tiles.tiles_per_team =
      floor_power_of_two(summation::segments<T>(length) / (multiprocessors * 4));
  return result;
}

// Evidence for blocks of vectors: docs/decisions/one-read-for-many-vectors.md.

/// Up to eight warps: one per eight vectors, times spans per line, halved while more than an eighth
/// would be idle. Equal teams, in the fastest number of waves.
template <class T>
DotTuning dot_tuning_of_blocks(Index count, Index length, int vectors, Index multiprocessors) {
  constexpr Index team_warps = 8;
  constexpr Index vectors_of_warp = 8;
  constexpr Index start = 24;  // lines that take as long as starting a team
  constexpr Index most_waves = 8;
  Index const spans = ceil_div(length, 2 * summation::segment<T>);
  Index of_team = floor_power_of_two(team_warps / ceil_div(vectors, vectors_of_warp));
  while (of_team > 1 && 8 * ceil_div(spans, of_team) * of_team > 9 * spans) of_team /= 2;
  Index const runs = ceil_div(spans, of_team);
  Index const slots = multiprocessors * (length <= summation::lanes<T> ? 2 : 1);
  DotTuning result{.segments_per_run = 2 * of_team};
  Index least = 0;
  for (Index waves = 1; waves <= most_waves; ++waves) {
    Index const lines = ceil_div(count, std::max(Index{1}, waves * slots / runs));
    Index const time = ceil_div(ceil_div(count, lines) * runs, slots) * (lines + start);
    if (waves == 1 || time < least) {
      least = time;
      result.lines_per_team = lines;
    }
  }
  return result;
}

/// Panels of many lines make few partial vectors: at most `in_scratch` panels, whose stack fits
/// scratch.
inline Index panels_of_blocks(summation::Panels const& panels, Index parts, Index slots,
                              Index in_scratch) {
  constexpr Index many_lines = 64;
  Index const of_waves = panels_of_part(panels, parts, slots);
  return panels.lines < many_lines ? of_waves : std::min(of_waves, in_scratch);
}

template <class T>
SumTuning sum_tuning_of_blocks(Index count, Index length, int vectors, Index multiprocessors) {
  constexpr Index tile = 32 * 16 / Index{sizeof(T)};
  constexpr Index warps_of_multiprocessor = 16;
  constexpr Index vectors_of_warp = 8;
  Index const parts = ceil_div(length, tile) * ceil_div(vectors, vectors_of_warp);
  SumTuning result;
  result.panels_per_team =
      panels_of_blocks(summation::panels(count, length), parts,
                       warps_of_multiprocessor * multiprocessors, vectors <= 4 ? 16 : 4);
  return result;
}

template <class T>
Index panels_of_block_ring(Index count, Index length, Index multiprocessors) {
  constexpr Index team_warps = 8;
  Index const warps = summation::segments<T>(length);
  Index const clusters = warps <= team_warps ? multiprocessors * (team_warps / warps)
                                             : multiprocessors / ceil_div(warps, team_warps);
  return panels_of_blocks(summation::panels(count, length), 1, std::max(Index{1}, clusters), 2);
}

template <class T>
bool fuse_blocks(Index length, int vectors) {
  constexpr Index segments_of_two_teams = 16;
  return vectors <= 8 && summation::segments<T>(length) <= segments_of_two_teams;
}

/// Teams that share lines must be able to wait for each other, and be enough to be busy for longer
/// than the exchange takes. Evidence: cuda-fuse-lines.
template <class T>
bool fuse_lines(Index count, Index length, Index teams_that_meet) {
  constexpr Index short_matrix = Index{16} << 20;
  constexpr Index parts_of_a_team = 4;
  Index const bytes = length * static_cast<Index>(sizeof(T));
  Index const parts = ceil_div(bytes, part_bytes);
  if (parts > parts_of_a_team && count * bytes <= short_matrix) return false;
  return parts <= teams_that_meet && summation::panels(count, length).count * parts >= 64;
}

inline constexpr Index most_slices_of_group = 8;

/// Slices of all lines must fit scratch. Evidence: cuda-fuse-slices.
inline bool fuse_slices(Index count, std::size_t scratch) {
  constexpr Index bytes_of_line = 600;  // two slices and their sums
  return bytes_of_line * count + 1024 <= static_cast<Index>(scratch);
}

/// Tiles of a band go down the input, so the output's lines are written from end to end. See
/// docs/decisions/transposes-in-bands.md. Evidence: cuda-transpose.
inline constexpr TransposeTuning transpose_tuning(TransposeShape const& shape) {
  constexpr Index block = 256;
  constexpr Index word = 16;
  constexpr Index most_of_whole_blocks = 1024;
  constexpr Index most_of_blocks = 320;
  constexpr Index of_many = 8;
  int const tile = shape.element_bytes == 1 ? 128 : shape.element_bytes <= 8 ? 64 : 32;
  Index const tiles = ceil_div(shape.rows, Index{tile});
  bool const shares_blocks =
      shape.from_line_bytes % block != 0 && shape.from_line_bytes % word == 0;
  Index const even = ceil_div(tiles, ceil_div(tiles, most_of_blocks));
  return {.tile_rows = tile,
          .tile_cols = tile,
          .team_size = 256,
          .band = shares_blocks                   ? even
                  : tiles <= most_of_whole_blocks ? tiles
                                                  : of_many};
}

/// `percent`: time per element, 100 for the best tile.
struct GemmChoice {
  GemmTuning tuning;
  Index percent;
};

/// Minimises the time of the multiprocessor with the most tiles. Evidence: cuda-gemm.
template <class T>
GemmTuning gemm_tuning(Index rows, Index cols, Index chains, Index multiprocessors) {
  constexpr Index band = 8;  // 4, 8 and 16 are within 1 %
  constexpr bool is_float = sizeof(T) == 4;
  constexpr GemmChoice choices[] = {
      {is_float ? GemmTuning{128, 128, 8, band} : GemmTuning{64, 128, 8, band}, 100},
      {is_float ? GemmTuning{64, 128, 16, band} : GemmTuning{64, 64, 8, band}, 106},
      {is_float ? GemmTuning{64, 64, 16, band} : GemmTuning{64, 32, 8, band}, is_float ? 112 : 130},
  };
  auto const time = [&](GemmChoice const& choice) {
    GemmTuning const& tile = choice.tuning;
    Index const tiles = ceil_div(rows, tile.tile_rows) * ceil_div(cols, tile.tile_cols) * chains;
    return ceil_div(tiles, multiprocessors) * tile.tile_rows * tile.tile_cols * choice.percent;
  };
  return std::ranges::min(choices, {}, time).tuning;
}

}  // namespace tessera::backends::cuda
