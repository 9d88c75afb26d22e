// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <tessera/detail/powers.hpp>
#include <tessera/tuning.hpp>

/// Tuning values of CUDA devices. The machine behind the evidence: one H200 (132 multiprocessors,
/// CUDA 13.0), float, row-major, microseconds, the matrix rotated out of L2; a read-only stream of
/// 1 GiB takes 239.
namespace tessera::backends::cuda {

using detail::ceil_power_of_two;
using detail::floor_power_of_two;
using summation::ceil_div;
using summation::Index;

/// Warps that a multiprocessor runs at a time in our kernels.
inline constexpr Index warps_per_multiprocessor = 16;
/// Bytes of a line in a team of fused ATAX where a line is shared out.
inline constexpr Index part_bytes = 8 * 1024;

/// How fused ATAX keeps lines in scratch (detail/gpu/fused_ring.hpp).
struct Ring {
  Index teams = 0;         ///< of the cluster that shares a line; 0: no ring
  int warps = 0;           ///< of a team
  int slots = 0;           ///< lines that have a place
  Index side_by_side = 0;  ///< teams on a multiprocessor
};

/// The ring for panels of lines of `length` scalars, which start on words. Microseconds of several
/// runs (one H200 and another differ by 2 %), slots | teams side by side on a multiprocessor;
/// one team:
/// - 3 warps: 65536 x 3072 2 | 3 192, 3 | 3 198
/// - 4 warps: 65536 x 4096 2 | 2 249, 3 | 2 251, 4 | 1 272
/// - 5 warps: 65536 x 5120 2 | 2 308, 2 | 1 368, 3 | 1 337
/// - 6 warps: 65536 x 6144 2 | 2 368, 3 | 1 364; double 65536 x 3072 2 | 2 387, 3 | 1 543
/// - 8 warps: 8192 x 8192 2 | 1 68.0, 3 | 1 66.5, 4 | 1 68.1, 2 | 2 73.6
///
/// clusters of two, and one team instead:
/// - 5 warps: 10240 x 10240 2 | 2 100, 3 | 1 132, one 102
/// - 6 warps: 12288 x 12288 2 | 2 143, 3 | 1 161, one 147
/// - 7 warps: 14336 x 14336 2 | 2 192, 3 | 1 188 to 196, one 197
/// - 8 warps: 16384 x 16384 2 | 2 265, 2 | 1 251, 3 | 1 248, 4 | 1 251, one 268
/// - the same: double 8192 x 8192 2 | 2 142, 2 | 1 131, 3 | 1 127, 4 | 1 129, one 143
/// - 10 warps: double 10240 x 10240 2 | 1 217, 3 | 1 200, 4 | 1 213, one 323; of 9: 160, 159
/// - 11 warps: double 11264 x 11264 2 | 1 231, 3 | 1 241; of 12: double 12288 x 12288 285, 297
/// - 16 warps: double 16384 x 16384 2 | 1 519, 3 | 1 548; 32768 x 32768 2 | 1 956, 3 | 1 978
///
/// clusters of four, and lines in parts instead: 4096 x 65536 329, 336; 50000 x 50000 2812, 3158;
/// double 32768 x 32768 2660, 2670;
///
/// lines of up to 8 KiB, and registers instead:
/// - 1048576 x 1024 962, 979; double 1048576 x 512 961, 974; 65536 x 1024 70.5, 70.7
/// - 262144 x 2048 488, 491; double 262144 x 1024 487, 502; 16384 x 1024 23.7, 23.0
/// - a fourth of the last warp idle: 262144 x 1536 370, 409; more: 262144 x 1200 397, 327
template <class T>
Ring ring(summation::Panels const& panels, Index length) {
  constexpr Index piece = 4096;     // bytes of a line that a warp has
  constexpr Index most_warps = 16;  // of a team
  constexpr Index word = 16;
  constexpr Index fewest_panels = 64;  // fewer need more lines of each in flight
  constexpr Index many_lines = 16;     // of a panel: 256 MiB of lines of 4 and 8 KiB
  Index const bytes = length * static_cast<Index>(sizeof(T));
  Index const pieces = ceil_div(bytes, piece);
  if (2 * bytes <= piece || pieces > 4 * most_warps || bytes % word != 0) return {};
  if (panels.count < fewest_panels) return {};
  if (pieces <= 2 && (panels.lines < many_lines || 4 * bytes < 3 * piece * pieces)) return {};
  Ring result;
  result.teams = pieces <= 8 ? 1 : pieces <= 2 * most_warps ? 2 : 4;
  result.warps = static_cast<int>(ceil_div(pieces, result.teams));
  if (result.teams == 1) {
    result.side_by_side = ceil_div(8, result.warps);
    result.slots = result.side_by_side == 1 ? 3 : 2;
  } else {
    result.side_by_side = result.warps <= 6 ? 2 : 1;
    result.slots = result.teams == 4 || (result.warps >= 7 && result.warps <= 10) ? 3 : 2;
  }
  return result;
}

/// Clusters of a ring, or teams, that run at the same time. Those of four do not find room
/// everywhere: on an H200 there are 30.
inline Index clusters_at_once(Ring const& ring, Index multiprocessors) {
  Index const teams = multiprocessors * ring.side_by_side / ring.teams;
  return std::max(Index{1}, ring.teams < 4 ? teams : teams * 9 / 10);
}

/// Teams of a launch at most: Kokkos counts them in 31 bits.
inline constexpr Index most_teams = Index{1} << 30;

/// Teams of 128 threads that may wait for each other inside a kernel: a tenth of those that run at
/// the same time. A device starts the teams of one kernel after the other, so that few kernels are
/// under way in part: together they leave room for one of them to go on.
template <class Exec>
Index teams_that_meet(Exec const& exec) {
  return exec.concurrency() / 4096;
}

/// Panels a team of fused ATAX in parts, of which `slots` run at a time: the least time of all
/// waves of teams, each of which starts as slowly as it takes some lines.
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

/// The tuning for `count` lines of `length` scalars T on so many multiprocessors.
template <class T>
Tuning tuning(Index count, Index length, Index multiprocessors, bool has_clusters) {
  constexpr Index size = sizeof(T);
  constexpr Index warp_bytes = 2048;  // of a line, at a time
  constexpr Index dot_warps = 8;      // of a team
  Index const line_bytes = length * size;
  Index const warps = multiprocessors * warps_per_multiprocessor;
  summation::Panels const panels = summation::panels(count, length);
  Tuning result;

  bool const is_short = line_bytes <= warp_bytes / 2;
  // Lines a step / segments a run (0: a warp a line):
  //   16384 x 16384: 1/0 255, 2/0 247, 4/0 248; 2/8 250;   4096 x 4096: 1/0 21.7, 2/0 19.5
  //   32768 x 32768: 1/0 981, 2/0 980, 2/8 950;            4096 x 65536: 2/0 264, 2/8 244
  //   1024 x 1048576: 1/8 958, 2/8 946, 2/32 953;          64 x 4194304: 2/8 259, 2/32 251
  //   10240 x 10240: 1/0 104, 2/0 109;                     double: 1/0 209, 2/0 217, 2/8 225
  //   (one line, two chunks of it at a time, as since: 97, double 191)
  // Two lines a step, unless half of the last wave of warps would find none.
  bool const is_long = line_bytes > 96 * 1024;
  auto const places = [&](Index step) { return ceil_div(count, step * warps) * step * warps; };
  bool const two = 2 * count >= 3 * warps && 10 * places(2) <= 11 * places(1);
  result.dot.lines_per_step = is_short ? 4 : is_long || two ? 2 : 1;
  Index const side_by_side = (is_short ? 2 * dot_warps : dot_warps) * result.dot.lines_per_step;
  // Lines a team, 4194304 x 64: 64 250, 256 254;        1000003 x 97: 64 151, 256 129;
  //   1048576 x 512: 16 537, 64 483, 256 486;           524288 x 2048: 16 954, 64 947;
  //   262144 x 8192: 16 1873, 64 1882
  Index const enough = multiprocessors * 8;
  Index const steps = line_bytes <= 8 * 1024 && count >= 4 * side_by_side * enough ? 4 : 1;
  result.dot.lines_per_team = side_by_side * steps;
  if (is_long || (count < warps / 4 && line_bytes > 4 * warp_bytes)) {
    result.dot.segments_per_run = line_bytes > 8 * 1024 * 1024 ? 32 : 8;
    result.dot.lines_per_team = 1;
  }
  Index const run_bytes = result.dot.segments_per_run * (warp_bytes / 2) * dot_warps;
  Index const run_blocks = run_bytes == 0 ? 1 : ceil_div(line_bytes, run_bytes);
  result.dot.lines_per_team =
      std::max(result.dot.lines_per_team, ceil_div(count, most_teams / run_blocks));

  // A team of the sum has so many threads side by side in a line, and shares itself among panels;
  // there are about as many teams as run at the same time, but for short lines and large matrices,
  // where the ends of more teams are spread. Panels/columns (teams) a team:
  //   2048 x 2048: 8/128 (512) 10.4, 16/128 (256) 10.3;  4096 x 4096: 16/128 (1024) 24.3, 32/128
  //   (512) 21.8, 64/128 (256) 22.4, 128/128 (128) 29.6;  8192 x 8192: 32/128 (2048) 71.4, 64/128
  //   (1024) 68.3, 128/128 (512) 67.0, 256/128 (256) 71.7;  10240 x 10240: 128/128 (640) 115,
  //   256/128 (320) 103;  16384 x 16384: 64/128 (2048) 247, 128/128 (1024) 243, 256/128 (512) 249;
  //   1048576 x 1024: 16/128 (2048) 973, 64/128 (512) 981;  262144 x 256: 64/64 (1024) 73.4, 64/128
  //   (512) 76.7;  4194304 x 64: 32/64 (1024) 263, 64/64 (512) 285;
  //   double: 4096 x 4096: 16/128 (1024) 38.3, 32/128 (512) 36.7, 64/128 (256) 38.3;
  //   16384 x 16384: 32/128 (4096) 480, 64/128 (2048) 477, 128/128 (1024) 484, 256/128 (512) 501.
  // Few panels are left together, which spares their sum: 256 x 262144: 32/128 70.2, 32/256 66.7;
  //   128 x 16384: 8/128 8.1, 16/128 6.9.
  constexpr Index team_threads = 256;
  bool const on_words = length % (16 / size) == 0;
  bool const is_large = count * line_bytes >= Index{1} << 30;
  bool const is_thin = line_bytes <= warp_bytes;
  Index const words = ceil_div(line_bytes, 16);
  auto const teams_wide = [&](Index words_of_team) { return ceil_div(words, words_of_team); };
  Index const usual = is_thin ? 4 * size : 8 * size;  // words: 64 or 128 columns
  bool const few_panels = panels.count <= 32 && 4 * teams_wide(usual) >= 3 * multiprocessors;
  Index const most_words =
      few_panels && teams_wide(2 * usual) >= 4 * multiprocessors ? 2 * usual : usual;
  Index const wide = words / most_words > most_teams / 2
                         ? team_threads
                         : ceil_power_of_two(std::clamp(words, Index{8}, most_words));
  result.sum.columns_per_team = wide * (16 / size);
  Index const tiles = ceil_div(words, wide);
  Index const sum_runs = team_threads / wide;
  // Lines that do not start on words take more registers.
  Index const wanted_teams = multiprocessors * (is_large   ? 2 * size
                                                : is_thin  ? 8
                                                : on_words ? 4
                                                           : 3);
  Index const fewest = ceil_div(panels.count, std::max(Index{1}, most_teams / tiles));
  Index const wanted = few_panels ? panels.count : ceil_div(panels.count * tiles, wanted_teams);
  result.sum.panels_per_team = ceil_power_of_two(std::max({sum_runs, wanted, fewest}));

  // Fused: short lines have a panel a worker. Longer ones have as many teams as run at the same
  // time, 512 threads to a multiprocessor, so that all end together. Panels a team,
  //   4194304 x 64: 8 248, 16 251, 32 279, 128 377;       262144 x 256: 8 71, 64 78, 256 147;
  //   1048576 x 1024: 1 998, 4 984, 16 1569;              65536 x 4096: 1 266, 4 259, 8 284;
  //   8192 x 8192: 2 95, 4 84, 8 77, 16 94;               16384 x 16384: 4 292, 8 281, 16 315;
  //   in parts, 32768 x 32768: 1 1299, 8 1245, 16 2137
  // Rings have as many clusters as run at the same time.
  Ring const ring_of_line = has_clusters ? ring<T>(panels, length) : Ring{};
  bool const is_ring = ring_of_line.teams > 0;
  Index const warps_of_team =
      ceil_div(line_bytes, line_bytes <= 16 * warp_bytes ? warp_bytes : 2 * warp_bytes);
  Index const teams = line_bytes <= warp_bytes ? panels.count
                      : is_ring                ? clusters_at_once(ring_of_line, multiprocessors)
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

/// Whether fused ATAX of row-major lines wins over two stages: where a line's parts can be shared
/// out among teams that meet, and panels and parts keep many teams busy.
template <class T>
bool fuse_lines(Index count, Index length, Index teams_that_meet) {
  Index const parts = ceil_div(length * static_cast<Index>(sizeof(T)), part_bytes);
  return parts <= teams_that_meet && summation::panels(count, length).count * parts >= 64;
}

/// Slices of lines that a team of fused ATAX adds up at most, a power of two.
inline constexpr Index most_slices_of_group = 8;

/// Whether fused ATAX of `count` column-major lines wins over two stages: where slices of them all
/// fit scratch. Fused | two stages, microseconds:
///   16384 x 16 8 | 13, 16384 x 310 17 | 21, 65536 x 128 20 | 24, 262144 x 256 88 | 137,
///   262144 x 310 121 | 159, 1048576 x 1 20 | 32, 1048576 x 128 148 | 260, 4194304 x 64 270 | 509;
///   in tiles, from the caches the second time: 600 | 572 in 4194304 x 64, 2431 | 509 in
///   16384 x 16384
inline bool fuse_slices(Index count, std::size_t scratch) {
  constexpr Index bytes_of_line = 600;  // in two slices, with sums
  return bytes_of_line * count + 1024 <= static_cast<Index>(scratch);
}

/// The tile of a transpose of `rows` lines. H200, tile/threads/band (all: every tile below the
/// first), microseconds, float | double, a copy stream at the end:
///   8192 x 8192: 64/256/all 132 | 263, 64/256/16 135 | 272, 32/256/8 - | 303, 128 | 253;
///   16384 x 16384: 64/256/all 519 | 1094, 64/256/1 535 | 1140, 32/256/16 - | 1224, 503 | 1006;
///   1000003 x 97: 64/256/8 245 | 448, 64/256/all 279 | 467, 184 | 364;
///   97 x 1000003: 64/256/all 232 | 433, 64/256/1 410 | 609, 184 | 364
inline constexpr TransposeTuning transpose_tuning(Index element_bytes, Index rows) {
  constexpr Index most_tiles = 1024;
  int const tile = element_bytes == 1 ? 128 : element_bytes <= 8 ? 64 : 32;
  Index const tiles = ceil_div(rows, Index{tile});
  return {.tile_rows = tile,
          .tile_cols = tile,
          .team_size = 256,
          .band = tiles <= most_tiles ? static_cast<int>(tiles) : 8};
}

/// A tile of matrix products, and the time of an element of it against the best tile's.
struct GemmChoice {
  GemmTuning tuning;
  Index percent;
};

/// The tile of a matrix product of `chains` chains an element: the one that a multiprocessor with
/// the most tiles has done first. TFLOP/s on an H200, square matrices, cuBLAS at the end (for
/// doubles on tensor cores):
///   float, 128 x 128 | 64 x 128 | 64 x 64:  1024: 17.3 32.8 32.5, 38.0;
///   2048: 45.7 34.8 40.1, 50.4; 4096: 46.5 44.4 40.8, 51.4; 8192: 46.8 46.4 41.5, 51.2;
///   10240: 46.8 47.0 42.6, 49.4 double, 64 x 128 | 64 x 64 | 64 x 32:  1024: 15.1 17.6 14.3, 47.9;
///   2048: 19.6 17.9 14.7, 45.0; 4096: 19.6 18.8 15.5, 47.3; 8192: 20.4 18.9 15.7, 48.9
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
