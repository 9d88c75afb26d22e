// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <tessera/tuning.hpp>

/// Tuning values of CUDA devices. The machine behind the evidence: one H200 (132 multiprocessors,
/// CUDA 13.0), float, row-major, microseconds, the matrix rotated out of L2; a read-only stream of
/// 1 GiB takes 239.
namespace tessera::backends::cuda {

using summation::ceil_div;
using summation::Index;

/// The largest power of two <= x, for x >= 1.
inline Index floor_power_of_two(Index x) {
  return static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(std::max(Index{1}, x))));
}

/// The smallest power of two >= x, for x >= 1.
inline Index ceil_power_of_two(Index x) {
  return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(x)));
}

/// Warps that a multiprocessor runs at a time in our kernels.
inline constexpr Index warps_per_multiprocessor = 16;

/// The tuning for `count` lines of `length` scalars T on so many multiprocessors.
template <class T>
Tuning tuning(Index count, Index length, Index multiprocessors) {
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
  bool const is_long = line_bytes > 64 * 1024;
  result.dot.lines_per_step = is_short ? 4 : is_long || count >= 2 * warps ? 2 : 1;
  Index const side_by_side = (is_short ? 2 * dot_warps : dot_warps) * result.dot.lines_per_step;
  Index const steps = std::clamp(count / (side_by_side * multiprocessors * 16), Index{1}, Index{8});
  // However many lines: a launch has less than 2^31 teams.
  result.dot.lines_per_team = side_by_side * std::max(steps, count / (side_by_side << 24));
  if (is_long || (count < warps / 4 && line_bytes > 4 * warp_bytes)) {
    result.dot.segments_per_run = line_bytes > 8 * 1024 * 1024 ? 32 : 8;
    result.dot.lines_per_team = 1;
  }

  // A team of the sum has at most 256 words side by side; narrow lines share it among panels.
  // Columns / panels a team, 16384 x 16384: 32/8 304, 128/64 276, 256/128 261, 1024/32 260;
  //   8192 x 8192: 32/8 102, 128/32 80, 256/64 74; 64 x 4194304: 64/8 511, 256/8 306, 1024/8 286
  constexpr Index team_threads = 256;
  Index const words = ceil_div(line_bytes, 16);
  Index const most_words = line_bytes > 128 * 1024 ? team_threads : team_threads / 4;
  Index const wide = ceil_power_of_two(std::clamp(words, Index{8}, most_words));
  result.sum.columns_per_team = wide * (16 / size);
  Index const tiles = ceil_div(words, wide);
  result.sum.panels_per_team = std::max(
      ceil_power_of_two(ceil_div(panels.count * tiles, multiprocessors * 4)), team_threads / wide);

  // Panels a team, fused, 16384 x 16384: 1 448, 2 436, 4 425, 8 428, 16 722 (before a change that
  // made all faster); 8192 x 8192: 1 114, 4 94, 8 87, 16 128; 1000003 x 97: 16 121, 64 115, 128 161
  Index const teams = line_bytes <= warp_bytes  ? multiprocessors * 4
                      : line_bytes <= 16 * 1024 ? multiprocessors * 2
                                                : multiprocessors;
  result.fused_lines.panels_per_team = ceil_power_of_two(ceil_div(panels.count, teams));

  result.fused_tiles.segments_per_tile = 1;
  result.fused_tiles.tiles_per_team =
      floor_power_of_two(summation::segments<T>(length) / (multiprocessors * 4));
  return result;
}

/// Whether fused ATAX of row-major lines wins over two stages: while a line stays in registers.
template <class T>
bool fuse_lines(Index count, Index length) {
  constexpr Index most_bytes = 64 * 1024;
  return length * static_cast<Index>(sizeof(T)) <= most_bytes &&
         summation::panels(count, length).count >= 64;
}

/// Whether fused ATAX of column-major lines wins over two stages: while a tile stays in cache.
template <class T>
bool fuse_tiles(Index count, Index length) {
  return count <= 128 && summation::segments<T>(length) >= 256;
}

}  // namespace tessera::backends::cuda
