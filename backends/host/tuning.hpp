// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

#include <tessera/backends/host/avx512.hpp>
#include <tessera/backends/host/cache.hpp>
#include <tessera/order/powers.hpp>
#include <tessera/tuning.hpp>

/// Evidence is in benchmarks/results/tuning.md; benchmarks/verify_tuning.py measures it again.
namespace tessera::backends::host {

using detail::ceil_power_of_two;
using detail::floor_power_of_two;
using summation::ceil_div;
using summation::Index;

/// So many that uneven threads end together.
inline constexpr Index teams_per_thread = 8;
/// Smaller teams cost more to start than to run.
inline constexpr Index min_team_bytes = 64 * 1024;
/// One thread finishes before `threads` have started. Evidence: host-one-thread.
inline Index bytes_of_one_thread(Index threads) {
  return ((avx512::available() ? 240 : 128) + 16 * threads) * 1024;
}
/// Evidence: host-teams.
inline Index teams_for(Index bytes, Index threads) {
  if (bytes < bytes_of_one_thread(threads)) return 1;
  Index const most = threads == 1 || bytes <= small_bytes ? threads : threads * teams_per_thread;
  return std::clamp(bytes / min_team_bytes, Index{1}, most);
}

/// Panels per group, a power of two: a group per thread, or smaller ones that end together. Another
/// group costs an eighth of a panel. Evidence: host-groups.
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

inline bool comes_line_by_line(Index bytes) {
  return profile().line_by_line && comes_from_memory(bytes);
}

/// Bytes of cached lines in fused ATAX.
inline Index longest_of_eight() {
  return avx512::available() ? profile().longest_of_eight_avx512 : profile().longest_of_eight;
}

/// If the next step is prefetched, both steps must fit a core's caches. Evidence: host-fused-lines.
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

/// Prefetched lines stream best one by one; longer ones, by fours. With AVX-512 four lines share x
/// in registers. Evidence: host-dot.
inline int lines_per_dot(Index line_bytes, Index bytes) {
  if (comes_line_by_line(bytes) && line_bytes > 1024 && line_bytes <= 4 * 1024) return 1;
  if (line_bytes < 2 * 1024) return 8;
  if (prefetch_distance(line_bytes, bytes) > 0) return 1;
  if (avx512::available() || !profile().keeps_one_line) return 4;
  if (line_bytes < 4 * 1024) return 8;
  return line_bytes <= 16 * 1024 ? 1 : 4;
}

/// True for small sums with AVX-512, unless lines map to few sets of L1. Evidence:
/// host-pairs-of-panels.
inline bool adds_pairs_of_panels(Index bytes, Index leading_bytes) {
  return avx512::available() && bytes <= small_bytes && leading_bytes % 4096 != 0;
}

/// Evidence: host-sum-lines.
inline int lines_per_sum(Index line_bytes, Index bytes) {
  return comes_line_by_line(bytes) && line_bytes <= 1024 ? 1 : 8;
}

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

  // In cache, sums stay in L1. With wide tiles for all threads nothing is combined. Evidence:
  // host-sum-columns.
  bool const is_near = bytes <= last_cache_bytes() && profile().near_last_cache;
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

/// For many vectors two reads take less time than the products, and sums of two stages stay in
/// cache.
template <class T>
Tuning tuning_of_blocks(int vectors, Tuning result) {
  constexpr int many = 9;
  constexpr Index columns = 4096 / static_cast<Index>(sizeof(T));
  if (vectors < many) return result;
  result.prefer_fused = false;
  if (result.sum.columns_per_team > columns) {
    result.sum.panels_per_team *= ceil_power_of_two(result.sum.columns_per_team / columns);
    result.sum.columns_per_team = columns;
  }
  return result;
}

template <class T>
bool fuse_lines(Index count, Index length, Index threads) {
  // Lines beyond cache are read twice anyway; few panels leave threads idle; a matrix in the
  // last-level cache is as close. Evidence: host-fuse-lines.
  Index const line_bytes = length * static_cast<Index>(sizeof(T));
  bool const is_near = count * line_bytes <= last_cache_bytes() / 2;
  if (avx512::available() && profile().reads_twice && is_near && line_bytes >= 12 * 1024) {
    return false;
  }
  return line_bytes <= 1024 * 1024 && summation::panels(count, length).count >= threads;
}

/// Evidence: host-fuse-tiles.
template <class T>
bool fuse_tiles(Index count, Index length, Index threads) {
  constexpr Index cache_bytes = 512 * 1024;
  constexpr Index large_bytes = 32 * 1024 * 1024;
  Index const line_bytes = length * static_cast<Index>(sizeof(T));
  return count * line_bytes > large_bytes &&
         count * summation::segment<T> * static_cast<Index>(sizeof(T)) <= cache_bytes &&
         summation::segments<T>(length) >= threads;
}

/// A band keeps its pages in the TLB on both sides. Evidence: host-transpose.
inline constexpr TransposeTuning transpose_tuning(TransposeShape const& shape) {
  constexpr Index line_bytes = 512;
  int const tile = static_cast<int>(line_bytes / shape.element_bytes);
  return {.tile_rows = tile,
          .tile_cols = tile,
          .band = 32,
          .stream = shape.rows * shape.cols * shape.element_bytes >= Index{8} << 20};
}

/// Strips of 6 rows and two packs of columns (AVX-512: 12 rows, two registers), in half of L2;
/// several tiles per thread. Evidence: host-gemm.
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
