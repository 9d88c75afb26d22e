// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <tessera/tuning.hpp>

/// Tuning values of processors. The machine behind the evidence: 2 cores of an AMD EPYC (Zen 4),
/// 32 KiB L1, 1 MiB L2 a core, 32 MiB L3, g++ 16, x86-64-v3 (docs/results/host.md).
namespace tessera::backends::host {

using summation::ceil_div;
using summation::Index;

/// The largest power of two <= x, for x >= 1.
inline Index floor_power_of_two(Index x) {
  return static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(std::max(Index{1}, x))));
}

/// Teams a thread should find, so that threads of uneven speed end together.
inline constexpr Index teams_per_thread = 8;
/// A team with less data than this costs more to start than to run.
inline constexpr Index min_team_bytes = 64 * 1024;

/// The tuning for `count` lines of `length` scalars T on `threads` threads.
template <class T>
Tuning tuning(Index count, Index length, Index threads) {
  constexpr Index size = sizeof(T);
  Index const line_bytes = length * size;
  Index const bytes = count * line_bytes;
  Index const teams =
      std::clamp(bytes / min_team_bytes, Index{1}, threads == 1 ? 1 : threads * teams_per_thread);
  Tuning result;

  // Short lines stream best one at a time; long ones save reads of x, which no longer fits in L1.
  result.dot.lines_per_step = line_bytes <= 16 * 1024 ? 1 : 4;
  result.dot.lines_per_team = std::max(Index{1}, ceil_div(count, teams));
  if (count < teams) {
    Index const segments = summation::segments<T>(length);
    Index const runs = std::min(ceil_div(teams, count), segments);
    result.dot.segments_per_run = floor_power_of_two(segments / runs);
  }

  result.sum.lines_per_step = 8;
  result.sum.columns_per_team = std::min(length, 16 * 1024 / size);
  Index const tiles = ceil_div(length, result.sum.columns_per_team);
  summation::Panels const panels = summation::panels(count, length);
  result.sum.panels_per_team = floor_power_of_two(panels.count * tiles / teams);

  result.fused_lines.lines_per_step = line_bytes <= 4 * 1024 ? 1 : 8;
  result.fused_lines.panels_per_team = floor_power_of_two(panels.count / teams);

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
  return length * static_cast<Index>(sizeof(T)) <= 1024 * 1024 &&
         summation::panels(count, length).count >= threads;
}

/// Whether fused ATAX of column-major lines wins over two stages.
template <class T>
bool fuse_tiles(Index count, Index length, Index threads) {
  // A tile of one segment of all lines has to stay in cache.
  return count * summation::segment<T> * static_cast<Index>(sizeof(T)) <= 1024 * 1024 &&
         summation::segments<T>(length) >= threads;
}

}  // namespace tessera::backends::host
