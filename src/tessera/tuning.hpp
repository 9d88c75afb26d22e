// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tessera/summation.hpp>

/// Tunings distribute the work; no value changes a bit. The backend chooses one (tessera/backends),
/// a caller may override it.
namespace tessera {

using summation::Index;

/// Dot products: `multiply` row-major, `multiply_transposed` column-major.
struct DotTuning {
  int lines_per_step = 1;      ///< at the same time: 1, 2, 4 or 8
  Index lines_per_team = 64;   ///< >= 1
  Index segments_per_run = 0;  ///< lines are cut into runs of so many, a power of two; 0: whole

  friend constexpr bool operator==(DotTuning const&, DotTuning const&) = default;
};

/// Sums over lines: `multiply_transposed` row-major, `multiply` column-major.
struct SumTuning {
  int lines_per_step = 8;         ///< per pass over the columns: 1, 2, 4 or 8
  Index columns_per_team = 4096;  ///< >= 1
  Index panels_per_team = 1;      ///< a power of two

  friend constexpr bool operator==(SumTuning const&, SumTuning const&) = default;
};

/// Fused ATAX, row-major: a team reads panels of lines once.
struct FusedLinesTuning {
  int lines_per_step = 4;        ///< cached between the two passes: 1, 2, 4 or 8
  bool dot_side_by_side = true;  ///< dot products of a step together, or one by one
  Index panels_per_team = 1;     ///< a power of two

  friend constexpr bool operator==(FusedLinesTuning const&, FusedLinesTuning const&) = default;
};

/// Fused ATAX, column-major: a team reads tiles, ranges of segments of all lines, once. GPUs may
/// use slices of few lines as tiles: parts of segments that fit scratch.
struct FusedTilesTuning {
  Index segments_per_tile = 1;  ///< a power of two; slices: unused
  Index tiles_per_team = 1;     ///< a power of two; at most so many slices of a group
  int lines_per_step = 8;       ///< per pass over the tile's part of B: 1, 2, 4 or 8

  friend constexpr bool operator==(FusedTilesTuning const&, FusedTilesTuning const&) = default;
};

struct Tuning {
  DotTuning dot{};
  SumTuning sum{};
  FusedLinesTuning fused_lines{};
  FusedTilesTuning fused_tiles{};
  bool prefer_fused = true;  ///< Method::automatic is fused, if the lines allow it

  friend constexpr bool operator==(Tuning const&, Tuning const&) = default;
};

struct TransposeTuning {
  int tile_rows = 64;   ///< >= 1; GPUs use square tiles
  int tile_cols = 64;   ///< >= 1
  int team_size = 1;    ///< 1 on hosts
  Index band = 1;       ///< tiles below each other before the next column
  bool stream = false;  ///< hosts: stores bypass the caches

  friend constexpr bool operator==(TransposeTuning const&, TransposeTuning const&) = default;
};

/// Lines are rows.
struct TransposeShape {
  Index element_bytes = 0;
  Index rows = 0;
  Index cols = 0;
  Index from_line_bytes = 0;  ///< between lines of the input
};

struct GemmTuning {
  int tile_rows = 128;   ///< >= 1; GPUs support the pairs of gemm_tiles
  int tile_cols = 128;   ///< >= 1
  int tile_depth = 256;  ///< products between two accesses to memory, >= 1
  Index band = 8;        ///< as in TransposeTuning

  friend constexpr bool operator==(GemmTuning const&, GemmTuning const&) = default;
};

}  // namespace tessera
