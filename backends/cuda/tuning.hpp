// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <tessera/order/powers.hpp>
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

/// How fused ATAX keeps lines in scratch (backends/gpu/fused_ring.hpp).
struct Ring {
  Index teams = 0;         ///< of the cluster that shares a line; 0: no ring
  int warps = 0;           ///< of a team
  int slots = 0;           ///< lines that have a place
  Index side_by_side = 0;  ///< teams on a multiprocessor
};

/// The ring for panels of lines of `length` scalars. Microseconds of several runs (one H200 and
/// another differ by 4 %), slots | teams side by side on a multiprocessor; one team:
/// - 3 and 4 warps: 65536 x 3072 2 | 2 189, 2 | 3 189; 65536 x 4096 2 | 2 245, 2 | 3 247, 3 | 2 250
/// - 5 and 6 warps: 65536 x 5120 2 | 2 304, 2 | 1 361; 65536 x 6144 2 | 2 366, 2 | 1 399
/// - 7 warps: 65536 x 7168 2 | 2 429, 2 | 1 427
/// - 8 warps: 8192 x 8192 2 | 1 67.0, 1 | 2 67.7, 2 | 2 71.0, 1 | 1 74.4
///
/// clusters of two:
/// - 5 warps: 10240 x 10240 2 | 2 101, 1 | 2 103, 2 | 1 117
/// - 6 warps: 12288 x 12288 1 | 2 142, 2 | 2 144, 2 | 1 147, 1 | 1 193
/// - 7 warps: 14336 x 14336 2 | 1 187, 1 | 2 187, 2 | 2 194, 1 | 1 234
/// - 8 warps: 16384 x 16384 2 | 1 243, 1 | 2 247, 2 | 2 259, 1 | 1 277;
///   double 8192 x 8192 128, 130, 137, 157
/// - 9 warps: 18432 x 18432 2 | 1 301, 1 | 1 338; double 9216 x 9216 159, 160, 3 | 1 162
/// - 10 warps: 20480 x 20480 2 | 1 378, 1 | 1 418; double 10240 x 10240 192, 219
/// - 11 warps: double 11264 x 11264 1 | 1 232, 2 | 1 237; of 12: double 12288 x 12288 283, 280
/// - 14 warps: double 14336 x 14336 1 | 1 372, 2 | 1 396, 3 | 1 417
/// - 16 warps: double 16384 x 16384 1 | 1 497, 2 | 1 514; 32768 x 32768 941, 945
///
/// clusters of four, slots, before a fence was put before copies (with it, 2 slots: 271, 2350,
/// double 32768 x 32768 2430 and on another H200 2635):
/// - 4096 x 65536 2 269, 3 273, 1 290; 50000 x 50000 2 2450, 3 2455, 1 2759
/// - double 32768 x 32768 1 2226, 2 2239, 3 2262; 36864 x 36864 2 1234, 3 1287, 1 1324
///
/// lines of up to 8 KiB, and registers instead:
/// - 1048576 x 1024 962, 979; double 1048576 x 512 961, 974; 65536 x 1024 70.5, 70.7
/// - 262144 x 2048 488, 491; double 262144 x 1024 487, 502; 16384 x 1024 23.7, 23.0
/// - a fourth of the last warp idle: 262144 x 1536 370, 409; more: 262144 x 1200 397, 327
///
/// Lines off words take half as many instructions again, for which more warps are needed, and fewer
/// places for each; one unused scalar after each line:
/// - 3 to 5 warps: 65536 x 3072 2 | 3 188, 2 | 2 327; 65536 x 4096 2 | 2 245, 1 | 4 250, 2 | 3 251;
///   65536 x 5120 2 | 2 306, 2 | 3 313, 1 | 3 329
/// - 6 to 8: 65536 x 6144 1 | 2 361, 2 | 2 375, 2 | 1 464; 12345 x 6789 84.7, 91.2, 107;
///   8192 x 8192 67.8, 74.6, 70.8
/// - clusters of two: 10240 x 10240 2 | 2 102, 1 | 2 114, 2 | 1 185; 12288 x 12288 1 | 2 143, 2 | 2
///   147; 14336 x 14336 190, 200; 16384 x 16384 252, 277, 2 | 1 298; double 12345 x 6789 161, 172,
///   244
/// - of 10 warps: double 10240 x 10240 2 | 1 215, 1 | 1 217;
///   of 16: 32768 x 32768 1 | 1 938, 2 | 1 990
/// - clusters of four 377, parts of lines instead 338: 4096 x 65536; lines of up to 8 KiB and
///   registers: 1048576 x 1024 973, 969; 262144 x 1536 652, 511
template <class T>
Ring ring(summation::Panels const& panels, Index length, bool on_words) {
  constexpr Index piece = 4096;        // bytes of a line that a warp has
  constexpr Index most_warps = 16;     // of a team
  constexpr Index fewest_panels = 64;  // fewer need more lines of each in flight
  constexpr Index many_lines = 16;     // of a panel: 256 MiB of lines of 4 and 8 KiB
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

/// Whether dot products fetch blocks of 256 bytes at once, on a device whose memory has so many
/// wires. Microseconds on an H100 (5120) without | with it: 32768 x 32768 1382 1375, double 2784
/// 2756; double 16384 x 16384 694 689. On an H200 (6144): 32768 x 32768 946 982, double 1907 1950;
/// 8192 x 8192 62.5 65.5, double 124 130; double 65536 x 4096 473 497.
inline bool fetches_blocks(int memory_bus_bits) {
  return memory_bus_bits <= 5120;
}

/// Whether a sum of so many bytes is stored for L2 to keep. A large one is gone before it is read,
/// and costs less where each of its lines goes at once (behind cuBLAS; behind other kernels
/// sometimes). Kept | not, two runs: double, 64 x 4194304 521 | 502, 256 x 262144 126 | 126; float
/// 64 x 4194304 252 | 253. (Dot products gain too little for the registers that it takes, A v of
/// double 4194304 x 64 514 | 508.)
inline bool stays_in_cache(Index bytes) {
  return bytes <= (Index{16} << 20);
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

/// Percent of the slots for teams that have one, in all waves.
inline Index percent_busy(Index teams, Index slots) {
  return 100 * teams / (ceil_div(teams, slots) * slots);
}

/// Dot products with `count` lines: lines a step / lines a team / segments a run (0, or left out: a
/// warp, or half of one, has whole lines).
///
/// Lines of up to 2 KiB, in teams of few:
/// - 131072 x 16 8/256 4.5, 4/256 5.0, 4/64 5.9; 500000 x 31 4/256 22.2, 4/64 25.3
/// - 4194304 x 64 4/64 245, 4/256 249, 8/256 250; double 4/128 504, 4/64 507, 8/128 507
/// - 262144 x 255 + 2 2/32 61.7, 2/64 62.7, 4/64 62.5; double 1048576 x 128 2/32 241, 4/64 241
/// - 1048576 x 512 2/32 464, 4/32 464, 2/256 467; double 262144 x 256 2/32 119, 4/32 119, 2/256 122
///
/// Longer ones, where two teams share a multiprocessor:
/// - 1048576 x 1024 2/32 932, 1/32 933, 2/64 937; 262144 x 2048 1/16 464, 2/32 467, 1/64 467
/// - 1024 x 1024 1/8 3.1, 1/16 3.9; 4096 x 4096 1/16 16.9, 1/8 17.5, 1/32 19.3
/// - 5000 x 5000 1/8 26.6, 1/32 26.9, 1/16 29.4; 6789 x 12345 1/32 84.5, 1/16 86.2, 1/8 91.6
/// - double 65536 x 4096 1/8 473.7, 1/16 477, 1/32 478; 100000 x 5000 1/8 888, 1/16 891
/// - double 32768 x 8192 1/32 479.0, 1/16 479.5
/// - 8192 x 8192 1/16 61.3, 1/8 61.7, 1/32 61.7; 10240 x 10240 1/8 96.4, 1/16 101, 1/64 103
/// - 12345 x 6789 1/16 81.1, 1/8 81.8, 1/32 90.2; 65536 x 4096 1/8 235, 1/16 235, 1/32 236
/// - 16384 x 16384 1/16 237, 1/32 238, 1/8 238, 1/2/8 239; double 1/2/8 466, 1/16 474, 2/1/8 475
/// - 32768 x 32768 1/2/16 947, 1/2/8 953, 1/16 957, 1/2 958; double 1/2 1903, 1/2/16 1906, 1/2/8
///   1917; double 16384 x 16384 1/2/16 483, 1/2 487, 1/2/8 489
/// - 50000 x 50000 1/16 2159, 1/1/32 2186, 2/1/32 2201 (the last of four blocks of runs is nearly
///   idle)
/// - 1024 x 1048576 1/2/8 949, 1/2/16 950, 2/2/8 957; double 128 x 16384 1/1/8 7.4, 2/1/8 8.5
/// - 97 x 1000003 2/8/8 98.6, 2/2/32 100, 2/1/8 103; 255 x 262144 + 2 2/16/8 67.6, 2/8/8 68.2,
///   2/2/32 70.0; 256 x 262144 2/16/8 64.2, 2/2/32 65.1, 2/8/8 65.6; 200 x 500000 2/8/8 96.1,
///   2/8/32 96.3
/// - double 97 x 1000003 2/4/32 185, 2/2/32 186, 1/16/8 190; 256 x 262144 2/8/32 125.9, 2/4/32
///   126.3, 2/2/32 127.1; 64 x 4194304 2/2/32 508, 2/4/32 509, 1/1/32 511, 2/1/16 524
template <class T>
DotTuning dot_tuning(Index count, Index length, Index multiprocessors) {
  constexpr Index kib = 1024;
  constexpr Index warps_of_team = 8;
  constexpr Index longest_short = 2 * kib;  // bytes of a line that a warp has at a time
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
  // Runs of lines.
  bool const few_lines = count < 4 * multiprocessors;
  constexpr Index segments = 16;                           // of a run
  constexpr Index block = segments * warps_of_team * kib;  // bytes of a line that a team has
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

/// A sum over `count` lines: panels/columns (teams) a team. A warp has 512 bytes of a line, so that
/// a team adds eight panels at a time.
///
/// One wave of teams where it is nearly full:
/// - 4096 x 4096 32/128 (512) 19.2, 64/128 19.4, 16/128 19.5; double 64/64 (512) 34.0, 32/64 34.5
/// - 8192 x 8192 64/128 (1024) 63.3, 128/128 (512) 63.4, 32/128 64.0
/// - 5000 x 5000 64/128 (400) 26.9, 16/128 27.2, 32/128 (800) 33.6
/// - 3000 x 3000 32/128 (288) 12.1, 8/128 12.5, 16/128 13.0
/// - 262144 x 256 128/128 (256) 63.4, 64/128 (512) 63.8, 32/128 64.0, 16/128 65.3
///
/// Small matrices, and no more teams than multiprocessors, so that the last one adds up:
/// - 1024 x 1024 8/128 (128) 5.0, 8/64 5.0, 8/32 5.2, 8/256 5.6
/// - double 1024 x 1024, four runs: 8/128 6.9, 16/64 7.1; 8/64 (256) 6.1, 7.9, 8.4, 8.7
///
/// Floats of 64 to 512 MiB, four waves of narrow teams | one of those above:
/// - 4096 x 4096 32/32 19.0 | 19.6; 8192 x 8192 64/32 64.1 | 64.6; 10240 x 10240 64/32 97.6 | 98.2
/// - 16384 x 2048 64/32 34.3 | 34.9; 2048 x 16384 64/32 34.2 | 34.4; 4000 x 8000 32/32 32.9 | 33.2;
///   6000 x 6000 16/32 37.1 | 37.5; not 3000 x 3000 32/32 12.5 | 12.1
///
/// From 1 GiB on one wave of wide teams, of floats two to a multiprocessor | four waves:
/// - 65536 x 4096 64/256 239.9 | 244.7; 1048576 x 1024 64/256 955 | 973
/// - 32768 x 32768 128/256 951 | 966; 16384 x 16384 256/256 242.2, 128/512 240.8 | 243.0
/// - double 65536 x 4096 64/128 479.1 | 481.6; 16384 x 16384 256/128 478.2 | 483.3
///
/// Some more waves where it is not, or where matrices are larger:
/// - 6000 x 6000 16/128 (2209) 37.5, 8/128 38.0, 32/128 38.1, 64/128 (564) 41.0, 128/128 (282) 41.4
/// - 12345 x 6789 32/128 (1350) 81.0, 16/128 81.4, 64/128 84.5; double 32/64 (2675) 157, 64/64 164
/// - 10240 x 10240 32/128 (1600) 96.5, 64/128 97.8, 16/128 98.5; double 64/64 (1600) 187.5,
///   32/64 188.7, 128/64 192
/// - 14336 x 14336 32/128 184.4, 64/128 186.5; 16384 x 16384 64/128 (2048) 237.7, 128/128 238.2,
///   32/128 238.5; double 64/64 469, 32/64 472; double 8192 x 8192 128/64 121.6, 64/64 (2048) 122.3
/// - 65536 x 4096 128/128 (256) 236.7, 64/128 238.5, 16/128 (2048) 239.7; double 128/64 471, 32/64
///   (2048) 472; 1048576 x 1024 128/128 936, 16/128 (2048) 946
/// - 4194304 x 64 64/64 (512) 239, 16/64 (2048) 242; double 64/64 478, 16/64 482, 8/64 489
/// - 32768 x 32768 16/128 942, 32/128 (2048) 949, 64/128 958; 50000 x 50000 16/128 2204, 32/128
///   (2737) 2231, 64/128 2279
///
/// Few panels are left together, which spares their sum:
/// - 128 x 16384 16/64 (256) 4.9, 16/128 4.9; 256 x 262144 32/128 62.0, 32/512 62.8, double 32/256
///   120, 32/512 125; 255 x 262144 + 2 32/512 63.2, 32/128 64.2
/// - 97 x 1000003 8/512 92.0, 8/1024 95.3, double 8/512 175, 8/256 180; 64 x 4194304 8/512 250,
///   8/128 251, double 8/512 494, 8/128 499; of long panels 1024 x 1048576 8/256 961, 8/512 968,
///   double 8/256 1904, 8/512 1932
template <class T>
SumTuning sum_tuning(Index count, Index length, Index multiprocessors) {
  constexpr Index size = sizeof(T);
  constexpr Index team_threads = 256;
  constexpr Index width = 16 / size;  // of a word
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
    // One wave, if it is nearly full.
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
  Index const fewest = std::max(team_threads / wide,  // side by side
                                ceil_div(panels.count, std::max(Index{1}, most_teams / tiles)));
  Index const slots = multiprocessors * (small ? 1 : 4);
  Index const work = panels.count * tiles;
  Index of_team = ceil_power_of_two(few_panels ? panels.count : ceil_div(work, slots));
  bool const fills_a_wave = 4 * work >= 3 * slots * of_team;
  if (!few_panels && bytes >= 64 * mib && (bytes > 256 * mib || narrow || !fills_a_wave)) {
    // Four waves, or what is nearest as a power of two.
    Index const wanted = work / (4 * slots);
    Index const less = floor_power_of_two(std::max(Index{1}, wanted));
    of_team = 5 * wanted > 7 * less ? 2 * less : less;
    // Of some more, if the last is too empty.
    while (narrow && of_team > 1 &&
           percent_busy(tiles * ceil_div(panels.count, of_team), slots) < 90) {
      of_team /= 2;
    }
  }
  of_team = std::max(of_team, ceil_power_of_two(fewest));
  result.panels_per_team = of_team;
  return result;
}

/// The tuning for `count` lines of `length` scalars T on so many multiprocessors, where `ring`
/// keeps such lines, if they start on words.
template <class T>
Tuning tuning(Index count, Index length, Index multiprocessors, Ring const& ring) {
  constexpr Index warp_bytes = 2048;  // of a line, at a time
  Index const line_bytes = length * static_cast<Index>(sizeof(T));
  Index const warps = multiprocessors * warps_per_multiprocessor;
  summation::Panels const panels = summation::panels(count, length);
  Tuning result;
  result.dot = dot_tuning<T>(count, length, multiprocessors);
  result.sum = sum_tuning<T>(count, length, multiprocessors);

  // Fused: short lines have a panel a worker. Longer ones have as many teams as run at the same
  // time, 512 threads to a multiprocessor, so that all end together. Panels a team,
  //   4194304 x 64: 8 248, 16 251, 32 279, 128 377;       262144 x 256: 8 71, 64 78, 256 147;
  //   1048576 x 1024: 1 998, 4 984, 16 1569;              65536 x 4096: 1 266, 4 259, 8 284;
  //   8192 x 8192: 2 95, 4 84, 8 77, 16 94;               16384 x 16384: 4 292, 8 281, 16 315;
  //   in parts, 32768 x 32768: 1 1299, 8 1245, 16 2137
  // Rings have as many clusters as run at the same time.
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

/// Whether fused ATAX of row-major lines wins over two stages: where a line's parts can be shared
/// out among teams that meet, and panels and parts keep many teams busy for longer than meetings
/// take. Fused | two stages, microseconds: 128 x 16384 14.8 | 9.8, double 14.7 | 11.9; 256 x 16384
/// 15.6 | 12.6, double 18.0 | 19.5; 384 x 16384 16.4 | 17.1; double 256 x 8192 15.9 | 12.8;
/// 504 x 8192 9.7 | 14.6; 256 x 4096 6.9 | 9.7; 128 x 100000 28.4 | 34.5; 504 x 65536 50.9 | 67.2
template <class T>
bool fuse_lines(Index count, Index length, Index teams_that_meet) {
  constexpr Index short_matrix = Index{16} << 20;  // bytes
  constexpr Index parts_of_a_team = 4;             // a line that one team has
  Index const bytes = length * static_cast<Index>(sizeof(T));
  Index const parts = ceil_div(bytes, part_bytes);
  if (parts > parts_of_a_team && count * bytes <= short_matrix) return false;
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

/// The tile of a transpose. Tiles of a band follow each other down the input, so that lines of the
/// output are written from end to end. Where the input's lines are words but begin within blocks of
/// 256 bytes, a column of tiles fetches parts of the next one too, and a band is as long as these
/// stay in the second cache. Microseconds, tile/threads/band (all: every tile below the first), a
/// copy at the end. H200, float | double:
///   8192 x 8192: 64/256/all 132 | 263, 64/256/16 135 | 272, 32/256/8 - | 303, 128 | 253;
///   16384 x 16384: 64/256/all 519 | 1094, 64/256/1 535 | 1140, 32/256/16 - | 1224, 503 | 1006;
///   1000003 x 97: 64/256/8 245 | 448, 64/256/all 279 | 467, 184 | 364;
///   97 x 1000003: 64/256/all 232 | 433, 64/256/1 410 | 609, 184 | 364.
/// H100, blocks not fetched | fetched, the same kernel in a program of its own:
///   10000 x 10000: 64/256/64 296 | 289, all 289 | 280, 270; double all 559 | 553, 534;
///   20000 x 20000: 64/256/256 1143 | 1124, all 1133 | 1115, 1064;
///   30000 x 30000: 64/256/256 2626 | 2554, all 2589 | 2608, 2386;
///   50000 x 50000: 64/256/256 7379 | 7178, all 7202 | 8034, 6614.
inline constexpr TransposeTuning transpose_tuning(TransposeShape const& shape) {
  constexpr Index block = 256;
  constexpr Index word = 16;
  constexpr Index most_of_whole_blocks = 1024;  // tiles of a band
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
