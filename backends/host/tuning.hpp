// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

#include <tessera/backends/host/avx512.hpp>
#include <tessera/backends/host/cache.hpp>
#include <tessera/order/powers.hpp>
#include <tessera/tuning.hpp>

/// Tuning values of processors. The machine behind the evidence: 2 cores of an AMD EPYC (Zen 4),
/// 32 KiB L1, 1 MiB L2 a core, 32 MiB L3, g++ 16, x86-64-v3 (docs/results/host-zen4.md); or, where
/// that is said, of one (Zen 5) with 48 KiB L1 (docs/results/host-zen5.md) or one (Zen 3) with
/// 512 KiB L2 a core (docs/results/host.md).
namespace tessera::backends::host {

using detail::ceil_power_of_two;
using detail::floor_power_of_two;
using summation::ceil_div;
using summation::Index;

/// Teams a thread should find in a large matrix, so that threads of uneven speed end together.
inline constexpr Index teams_per_thread = 8;
/// A team with less data than this costs more to start than to run.
inline constexpr Index min_team_bytes = 64 * 1024;
/// Below this size a thread is done before `threads` have started. Starting 1 | 2 | 4 | 8 | 16 of a
/// Xeon (Emerald Rapids) takes 0.35 1.0 1.8 2.4 4.0 us; floats there, us alone | on 2 | 8 | 16
/// threads, all of them teams of 64 KiB: 192 x 192 A·v 3.4 2.7 3.8 4.5, Aᵀ·b 1.9 3.0 3.7 4.1; 256 x
/// 256 3.8 4.7 3.5 5.1, 4.4 3.5 4.3 5.6, fused 9.0 5.2 5.0 6.3; 384 x 384 6.2 4.8 4.5 5.6, 6.2 5.7
/// 5.8 9.1; 512 x 512 10.6 7.3 4.9 5.3, 10.9 8.0 6.3 9.4; double 256 x 256 on 16, fused, 14.2 8.0.
/// With AVX-512 a thread is done sooner. 256 x 256 floats over OpenBLAS, Zen 4, alone | on 2
/// threads that are near each other | far: A·v 1.04 1.04 0.57, Aᵀ·b 0.94 0.98 0.52, fused 1.07 1.37
/// 0.85; without AVX-512 A·v 0.90 1.04 0.61, Aᵀ·b 0.82 0.94 0.54; Zen 3 fused, us, alone | on 2
/// threads: 7.0 4.5.
inline Index bytes_of_one_thread(Index threads) {
  return ((avx512::available() ? 240 : 128) + 16 * threads) * 1024;
}
/// Teams worth having for `bytes` of matrix. Fused ATAX against two OpenBLAS gemv, 2 threads, with
/// 2 | 4 | 8 | 16 teams: 512 x 512: 1.51 1.39 1.26; 1024 x 1024: 1.29 1.27 1.22 1.14;
/// 2048 x 2048: 1.74 1.79 1.84 1.86.
inline Index teams_for(Index bytes, Index threads) {
  if (bytes < bytes_of_one_thread(threads)) return 1;
  Index const most = threads == 1 || bytes <= small_bytes ? threads : threads * teams_per_thread;
  return std::clamp(bytes / min_team_bytes, Index{1}, most);
}

/// Panels of a group, a power of two: so many that each thread has a group, or fewer, so that
/// threads end together; a group more costs an eighth of a panel. OpenBLAS over ours, 2 threads of
/// Zen 5, with the most panels | so, two runs: Aᵀ·b, 700 x 700 0.85 1.02, 0.71 0.99, double 0.91
/// 1.05, 0.85 0.97; 400 x 4000 0.73 0.83, 0.76 0.88; fused, 700 x 700 1.00 1.20, 0.89 1.18, double
/// 1.08 1.22, 1.07 1.26; 400 x 4000 1.03 1.17, 1.01 1.20.
inline Index balanced_group(Index panels, Index threads) {
  Index const largest = ceil_power_of_two(ceil_div(panels, threads));
  if (threads == 1) return largest;
  Index best = 1;
  Index least = std::numeric_limits<Index>::max();
  for (Index group = largest; group > 0; group /= 2) {
    Index const whole = panels / group;
    Index const rest = panels % group;
    Index const longest =
        whole % threads == 0 ? whole / threads * group + rest : ceil_div(whole, threads) * group;
    Index const time = 8 * longest + ceil_div(panels, group);
    if (time < least) {
      least = time;
      best = group;
    }
  }
  return best;
}

/// Whether lines come from memory faster the fewer of them go at the same time, if they are not
/// long: so on Zen 4, which is told by AVX-512 and 32 KiB of L1.
inline bool comes_line_by_line(Index bytes) {
  return avx512::supported() && !large_first_cache() && comes_from_memory(bytes);
}

/// The longest lines in caches, in bytes, that fused ATAX takes eight at a time.
inline Index longest_of_eight() {
  if (large_first_cache()) return (avx512::available() ? 4 : 16) * 1024;
  return avx512::available() ? 2 * 1024 : 0;
}

/// How fused ATAX goes over the lines of a panel. Times of two OpenBLAS gemv over ours, 2 threads
/// of Zen 3, for 2 | 4 | 8 lines a step, dot products one by one ("o") or side by side ("s"):
///   1048576 x 256:  o 2.1 2.2 2.1, s 2.3 2.4 2.5
///   200000 x 100:   o 2.4 2.5 2.5, s 2.7 2.9 3.1
///   100000 x 300:   o 2.4 2.4 2.5, s 1.9 2.1 2.2
///   100000 x 512:   o 1.8 1.9 1.9, s 1.7 1.6 1.5
///   262144 x 1024:  o 1.6 1.6 1.6, s 1.6 1.7 1.5
///   65536 x 4096:   o 1.3 1.3 1.4, s 1.5 1.6 1.3;  double: o 1.5 1.5 1.5, s 1.6 1.8 1.6
///   16384 x 16384:  o 1.3 1.3 1.3, s 1.4 1.6 1.4
///   4096 x 65536:   o 1.5 1.5 1.4, s 1.7 1.8 1.7
///   in cache, 512 x 512: o 1.4 1.5 1.6, s 1.4 1.7 1.7
///   in cache, 1024 x 1024: o 1.1 1.2 1.1, s 1.1 1.3 1.1
/// In cache on Zen 5, 4 | 8 lines, side by side, two runs: 512 x 512 1.68 1.81, 1.74 1.90; 777 x
/// 777 1.07 1.14, 1.07 1.13; 1000 x 1000 1.54 1.60, 1.53 1.57, double 1.41 1.47, 1.46 1.51; 1024 x
/// 1024 1.34 1.40, 1.29 1.32; 2896 x 2896 1.66 1.72, 1.62 1.71. Where a step asks for the lines of
/// the next, both have to find room in a core's caches. The same on Zen 5, 1 | 2 | 4 lines, side by
/// side: 100000 x 777 1.77 1.92 1.96; 100000 x 1000 1.62 1.78 1.89; 262144 x 1024 1.82 1.90 1.78,
/// double 1.83 2.30 2.02; 65536 x 4096 1.80 1.85 1.75, double 1.72 1.73 1.57; 12345 x
/// 6789 1.58 1.73 1.67. Where it asks for the beginnings of longer ones, 2 | 4 | 8 lines (8 asked
/// for nothing): 16384 x 16384 1.81 1.95 1.73, double 1.86 1.84 1.41; 4096 x 65536 1.48 1.57 1.31.
/// Without AVX-512 | with it, there eight lines up to 4 KiB only: 512 x 512 2.23 2.85; 1000 x 1000
/// 1.22 1.30; 1024 x 1024 1.20 1.44; 2048 x 2048 1.13 1.35, double 1.34 1.62.
/// On 2 threads of Zen 4, four lines, one by one | side by side: 100000 x 300 3.1 1.8, double 3.9
/// 2.3; 80000 x 512 2.5 1.5, double 2.1 1.8; 40000 x 1024 2.3 1.7, double 1.65 1.72; 20000 x 2048
/// 1.7 1.5, double 1.6 1.6; 12000 x 4096 1.4 1.7, double 1.3 1.9. In cache, 4 | 8, side by side,
/// two runs: 256 x 256 1.24 1.34, 1.23 1.32; 512 x 512 1.61 2.12, 1.91 2.03; 1000 x
/// 1000 1.13 1.14, 1.13 1.13; 1400 x 1400 1.09 1.01, 1.06 0.98.
inline FusedLinesTuning fused_lines_tuning(Index line_bytes, Index bytes) {
  if (line_bytes <= 1024) return {.lines_per_step = 8, .dot_side_by_side = true};
  if (line_bytes >= 4096 && prefetch_distance(line_bytes, bytes) > 0) {
    return {.lines_per_step = 2, .dot_side_by_side = true};
  }
  bool const cached = bytes <= last_cache_bytes();
  bool const eight = cached && line_bytes <= longest_of_eight();
  Index const shortest_side_by_side = (comes_line_by_line(bytes) ? 12 : 4) * 1024;
  return {.lines_per_step = eight ? 8 : 4,
          .dot_side_by_side = cached || line_bytes >= shortest_side_by_side};
}

/// Lines a step of dot products. Times of OpenBLAS over ours, 2 threads of Zen 3, with 1, 2, 4 and
/// 8 lines:
///   in cache, 20000 x 64: 0.33 0.44 0.66 0.82
///   2048 x 2048: 0.72 0.76 0.83 0.74, double: 0.66 0.72 0.79 0.67
///   2896 x 2896: 0.71 0.77 0.91 0.87
///   4096 x 4096: 0.81 0.92 0.94 0.85;  double 0.93 0.99 1.05 0.96
///   12345 x 6789: 1.03 1.12 1.18 1.13;  4096 x 65536: 0.98 1.04 1.09 0.96
/// 2, 4 and 8 lines where four share x (whole_segments_by_pairs), two runs:
///   10000 x 200: 0.72 0.86 0.96, 0.79 0.87 0.95;  2500 x 400: 0.62 0.75 0.81, 0.62 0.78 0.79
///   512 x 512: 1.34 1.58 1.51, 1.27 1.52 1.48;  1000 x 1000: 0.81 0.85 0.79, 0.89 0.94 0.90
///   1400 x 1400: 0.89 0.96 0.86, 0.78 0.84 0.79
///   double, 5000 x 200: 0.73 0.87 0.89, 0.77 0.89 0.92;  256 x 256: 1.18 1.35 1.30
///   double, 1000 x 1000: 0.86 0.89 0.81, 0.91 0.87 0.85;  1024 x 1024: 0.99 0.93 0.87
/// Lines that are asked for ahead stream best one at a time. Milliseconds on Zen 5, 2 threads, with
/// 1 | 2 | 4, when two lines did not share x yet: 12345 x 6789 8.5 9.5 9.7; double, 65536 x 4096
/// 40.5 (not tried) 52.7. Longer lines, which are foreseen, come four at a time. OpenBLAS over
/// ours, two threads of Zen 5, 1 | 2 | 4 | 8 lines:
///   16384 x 16384: 0.98 1.04 1.04 0.86, double 1.06 1.18 1.26 1.00
///   4096 x 65536: 0.95 1.03 1.12 0.80, double 0.96 1.08 1.11 0.87
///   double, 12345 x 6789: 1.10 1.23 1.25 0.91
/// There lines of 4 to 16 KiB come best one at a time from caches, too. OpenBLAS over ours, two
/// runs, 1 | 4 | 8 lines (of more than one by pairs of packs):
///   777 x 777: 0.73 0.83 0.87, 0.76 0.89 0.88;  1000 x 1000: 0.87 0.84 0.88, 0.82 0.83 0.87
///   1024 x 1024: 0.92 0.91 0.90, 0.91 0.83 0.92;  1400 x 1400: 0.84 0.77 0.77, 0.83 0.79 0.78
///   2048 x 2048: 0.98 0.92 0.83, 0.99 0.93 0.84;  2500 x 2500: 0.79 0.89 0.88, 0.78 0.93 0.91
///   2896 x 2896: 1.00 0.86 0.87, 1.01 0.87 0.90;  400 x 4000: 1.02 0.91 0.94, 1.06 0.91 0.94
///   double, 1000 x 1000: 0.81 0.90 0.83, 0.82 0.97 0.84;  1300 x 1300: 0.99 0.90 0.89, 1.03 0.85
///   double, 1024 x 1024: 1.04 0.94 0.91, 1.06 0.93 0.90;  2048 x 2048: 0.91 0.91 0.82, 0.90 0.88
///   longer, 100 x 20000: 0.72 0.96 0.99;  double, 300 x 4000: 0.76 0.95 0.96
/// With AVX-512 four lines share x with all of their lanes in registers, and all fours of a team go
/// at once but where lines are very long. OpenBLAS over ours, four by four and not at once yet,
/// there with AVX-512 as well, two threads of Zen 5, without | with:
///   512 x 512: 1.86 2.35;  777 x 777: 0.87 0.94;  1000 x 1000: 0.85 0.91, double 0.78 0.92
///   1024 x 1024: 0.85 0.98;  1400 x 1400: 0.74 0.93, double 0.80 0.99
///   2048 x 2048: 0.84 1.00, double 0.94 1.05;  16384 x 16384: 1.07 1.16, double 1.24 1.30
/// From memory on Zen 4, with 8 | 2 | 1 lines, OpenBLAS over ours:
///   150000 x 256: 1.59 1.54 1.48, double 0.99 0.91 1.66;  100000 x 400: 1.13 1.02 1.41
///   80000 x 512: 1.06 0.88 2.06, double 1.00 0.73 1.01;  40000 x 1024: 1.08 0.88 1.30, double 0.99
///   0.80 0.98
inline int lines_per_dot(Index line_bytes, Index bytes) {
  if (comes_line_by_line(bytes) && line_bytes > 1024 && line_bytes <= 4 * 1024) return 1;
  if (line_bytes < 2 * 1024) return 8;
  if (prefetch_distance(line_bytes, bytes) > 0) return 1;
  if (avx512::available() || !large_first_cache()) return 4;
  if (line_bytes < 4 * 1024) return 8;
  return line_bytes <= 16 * 1024 ? 1 : 4;
}

/// Whether sums over `bytes` of lines, `leading_bytes` apart, add two panels at a time, with
/// AVX-512: those that are small, and do not meet in a few sets of the first cache. GB/s of one
/// thread of Zen 4, panels one by one | so: 192 x 384 107 109; 350 x 700 97 99, double 82 89; 500 x
/// 1000 82 86, double 83 89; 200 x 4000 78 85, double 80 87; 2000 x 64 110 112. Lines of a multiple
/// of 4 KiB: 1024 x 1024 78 72; double, 512 x 512 78 72, 128 x 512 93 75.
inline bool adds_pairs_of_panels(Index bytes, Index leading_bytes) {
  return avx512::available() && bytes <= small_bytes && leading_bytes % 4096 != 0;
}

/// Lines a step of sums. From memory, GB/s on 2 threads of Zen 4, 8 | 4 | 2 | 1 lines, where A·v
/// has 42 to 65: 400000 x 64 26 54 56 64, 200000 x 100 33 38 50 58; double, 400000 x 32 22 45 53
/// 59, 200000 x 64 21 20 20 52; 100000 x 256 21 20 19 52; 80000 x 512 30 25 21 31; 40000 x 1024 41
/// 37 30 27.
inline int lines_per_sum(Index line_bytes, Index bytes) {
  return comes_line_by_line(bytes) && line_bytes <= 1024 ? 1 : 8;
}

/// The tuning for `count` lines of `length` scalars T on `threads` threads.
template <class T>
Tuning tuning(Index count, Index length, Index threads) {
  constexpr Index size = sizeof(T);
  Index const line_bytes = length * size;
  Index const bytes = count * line_bytes;
  Index const teams = teams_for(bytes, threads);
  summation::Panels const panels = summation::panels(count, length);
  Index const panels_of_team = teams <= threads ? balanced_group(panels.count, teams)
                                                : floor_power_of_two(panels.count / teams);
  Tuning result;

  result.dot.lines_per_step = lines_per_dot(line_bytes, bytes);
  result.dot.lines_per_team = std::max(Index{1}, ceil_div(count, teams));
  if (count < teams) {
    Index const segments = summation::segments<T>(length);
    Index const runs = std::min(ceil_div(teams, count), segments);
    result.dot.segments_per_run = floor_power_of_two(segments / runs);
  }

  // 16384 x 16384 against OpenBLAS, with columns_per_team 16384 | 8192 | 4096: 1.10 1.03 0.96. In
  // cache sums have to stay in the first one; 2 threads of Zen 4, two runs, 64 | 16 | 8 KiB: 64 x
  // 8000 0.81 0.87 0.90, 0.84 0.91 0.91, double 0.87 0.92 1.02, 0.89 0.95 0.98; 128 x 16384 0.82
  // 0.89 0.86, 0.85 0.87 0.87, double 0.84 1.10 0.98, 0.89 1.10 0.99; 1000 x 4000 0.97 0.98 1.03,
  // 0.94 0.96 1.05, double 1.28 1.30 1.18, 1.28 1.45 1.47.
  // Where all threads have tiles that are wide enough nothing is left to combine; GB/s, threads
  // that share columns | tiles of 8 KiB and all lines: 400 x 4000 144 155, double 126 141; 64 x
  // 8000 165 174; 256 x 8000 147 147, double 124 130; 256 x 8192 124 138.
  bool const is_near = bytes <= last_cache_bytes() && !large_first_cache();
  Index shares = threads;
  while (shares * 8 * 1024 < line_bytes) shares *= 2;
  bool const has_shares =
      is_near && threads > 1 && line_bytes >= 12 * 1024 && line_bytes >= shares * 4 * 1024;
  constexpr Index of_cache = 64 / size;
  Index const share = ceil_div(ceil_div(length, shares), of_cache) * of_cache;
  Index const most_columns = (is_near ? 16 : 64) * 1024 / size;
  result.sum.lines_per_step = lines_per_sum(line_bytes, bytes);
  result.sum.columns_per_team = std::min(length, has_shares ? share : most_columns);
  Index const tiles = ceil_div(length, result.sum.columns_per_team);
  if (has_shares) {
    result.sum.panels_per_team = ceil_power_of_two(panels.count);
  } else {
    result.sum.panels_per_team =
        tiles == 1 ? panels_of_team : floor_power_of_two(panels.count * tiles / teams);
  }

  result.fused_lines = fused_lines_tuning(line_bytes, bytes);
  result.fused_lines.panels_per_team = panels_of_team;

  Index const segments = summation::segments<T>(length);
  Index const tile_bytes = 512 * 1024;
  Index const strip_bytes = count * summation::segment<T> * size;
  result.fused_tiles.segments_per_tile =
      std::min(floor_power_of_two(tile_bytes / strip_bytes), floor_power_of_two(segments));
  result.fused_tiles.tiles_per_team =
      floor_power_of_two(segments / result.fused_tiles.segments_per_tile / teams);
  return result;
}

/// Whether fused ATAX of row-major lines wins over two stages.
template <class T>
bool fuse_lines(Index count, Index length, Index threads) {
  // A line that does not stay in cache is read twice all the same; few panels leave threads idle.
  // Two stages are as near as such a line where the matrix is in the last cache. Over two OpenBLAS
  // gemv, 2 threads of Zen 4, two runs, fused | two stages: 400 x 4000 0.81 0.82, 0.89 0.87, double
  // 0.92 1.14, 0.99 1.09; 256 x 8192 0.89 0.96, 0.96 0.98; 256 x 16384 0.67 1.05, 0.82 0.98; not
  // so without AVX-512, nor of 32 MiB: double, 256 x 16384 1.24 1.08, 1.22 1.13.
  Index const line_bytes = length * static_cast<Index>(sizeof(T));
  bool const is_near = count * line_bytes <= last_cache_bytes() / 2;
  if (avx512::available() && !large_first_cache() && is_near && line_bytes >= 12 * 1024) {
    return false;
  }
  return line_bytes <= 1024 * 1024 && summation::panels(count, length).count >= threads;
}

/// Whether fused ATAX of column-major lines wins over two stages. GB/s, fused | two stages, float:
/// 1048576 x 256: 29.4 | 23.8; 262144 x 1024: 24.6 | 24.5; 1024 x 1024 (in cache): 48 | 62.
template <class T>
bool fuse_tiles(Index count, Index length, Index threads) {
  constexpr Index cache_bytes = 512 * 1024;
  constexpr Index large_bytes = 32 * 1024 * 1024;
  Index const line_bytes = length * static_cast<Index>(sizeof(T));
  return count * line_bytes > large_bytes &&
         count * summation::segment<T> * static_cast<Index>(sizeof(T)) <= cache_bytes &&
         summation::segments<T>(length) >= threads;
}

/// The tile of a transpose. Milliseconds for 8192 x 8192 floats on 2
/// threads, where Kokkos' copy takes 12; tiles of 128 x 128 | 128 x 256 | 256 x 128 elements:
///   band 1: 30.9 28.7 37.8; band 8: 26.0 25.2 26.6; band 32: 24.1 29.0 31.3
/// A band keeps pages of memory on both sides known to the processor.
inline constexpr TransposeTuning transpose_tuning(TransposeShape const& shape) {
  constexpr Index line_bytes = 512;  // of a tile, on both sides
  int const tile = static_cast<int>(line_bytes / shape.element_bytes);
  return {.tile_rows = tile,
          .tile_cols = tile,
          .band = 32,
          .stream = shape.rows * shape.cols * shape.element_bytes >= Index{8} << 20};
}

/// The tile of a matrix product of `chains` chains an element, in whole strips of 6 rows and two
/// packs of columns: as large as half a cache of the second level holds, and some for each thread.
/// With AVX-512 strips are 12 rows and two registers. OpenBLAS over ours, there with AVX-512 as
/// well, two threads of Zen 5, without | with: 512 0.45 0.74; 1000 0.52 0.98, double 0.64 1.22;
/// 1024 0.51 0.96; 2048 0.51 0.71, double 0.58 1.09.
inline GemmTuning gemm_tuning(Index element_bytes, Index rows, Index cols, Index chains,
                              Index threads) {
  bool const wide = avx512::available();
  Index const strip_rows = wide ? avx512::block_rows : 6;
  Index const strip_cols = (wide ? 128 : 64) / element_bytes;
  Index const most_cols = 2048 / element_bytes;
  constexpr Index most_rows = 384;
  constexpr Index tiles_per_thread = 4;
  auto const whole = [](Index count, Index strip) { return ceil_div(count, strip) * strip; };
  Index const across = ceil_div(cols, most_cols);
  Index const wanted = threads == 1 ? 1 : ceil_div(threads * tiles_per_thread, across * chains);
  Index const down = std::max(ceil_div(rows, most_rows), std::min(wanted, ceil_div(rows, 48)));
  return {.tile_rows = static_cast<int>(whole(ceil_div(rows, down), strip_rows)),
          .tile_cols = static_cast<int>(whole(ceil_div(cols, across), strip_cols)),
          .tile_depth = 256,
          .band = down};
}

}  // namespace tessera::backends::host
