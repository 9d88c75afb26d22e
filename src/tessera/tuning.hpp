// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tessera/summation.hpp>

/// Tunings distribute the work, but never change the order of summation. Each is a plain aggregate.
/// The backend chooses it for a shape (tessera/backends), and a caller may override it. No value
/// changes a bit of a result.
namespace tessera {

using summation::Index;

/// Dot products of lines (`multiply` of a row-major, `multiply_transposed` of a column-major
/// matrix).
struct DotTuning {
  int lines_per_step = 1;     ///< lines walked at the same time: 1, 2, 4 or 8
  Index lines_per_team = 64;  ///< lines per team, >= 1
  Index segments_per_run =
      0;  ///< power of two: lines are cut into runs of so many segments; 0: whole

  friend constexpr bool operator==(DotTuning const&, DotTuning const&) = default;
};

/// Sums over lines (`multiply_transposed` of a row-major, `multiply` of a column-major matrix).
struct SumTuning {
  int lines_per_step = 8;         ///< lines added per pass over the columns: 1, 2, 4 or 8
  Index columns_per_team = 4096;  ///< columns per team, >= 1
  Index panels_per_team = 1;      ///< panels per team: a power of two

  friend constexpr bool operator==(SumTuning const&, SumTuning const&) = default;
};

/// Fused ATAX of a row-major matrix: a team reads panels of lines once.
struct FusedLinesTuning {
  int lines_per_step = 4;        ///< lines kept in cache between the two passes: 1, 2, 4 or 8
  bool dot_side_by_side = true;  ///< dot products of a step's lines together, or one by one
  Index panels_per_team = 1;     ///< panels per team: a power of two

  friend constexpr bool operator==(FusedLinesTuning const&, FusedLinesTuning const&) = default;
};

/// Fused ATAX of a column-major matrix: a team reads tiles, ranges of segments of all lines, once.
/// GPUs may cut few lines into slices, parts of segments that fit scratch, and use slices as tiles.
struct FusedTilesTuning {
  Index segments_per_tile = 1;  ///< segments of each line in a tile: a power of two; slices: unused
  Index tiles_per_team =
      1;                   ///< tiles of one team: a power of two; at most so many slices of a group
  int lines_per_step = 8;  ///< lines added per pass over the tile's part of B: 1, 2, 4 or 8

  friend constexpr bool operator==(FusedTilesTuning const&, FusedTilesTuning const&) = default;
};

/// Everything a backend chooses for one matrix.
struct Tuning {
  DotTuning dot{};
  SumTuning sum{};
  FusedLinesTuning fused_lines{};
  FusedTilesTuning fused_tiles{};
  bool prefer_fused = true;  ///< Method::automatic of `atax` is fused, if the lines allow it

  friend constexpr bool operator==(Tuning const&, Tuning const&) = default;
};

/// Transposes: teams move tiles of the input.
struct TransposeTuning {
  int tile_rows = 64;   ///< lines of the input per tile, >= 1; GPUs use square tiles
  int tile_cols = 64;   ///< elements of a line per tile, >= 1
  int team_size = 1;    ///< threads per team; 1 on hosts
  Index band = 1;       ///< tiles below each other that teams handle before the next column
  bool stream = false;  ///< hosts: stores bypass the caches

  friend constexpr bool operator==(TransposeTuning const&, TransposeTuning const&) = default;
};

/// Input of the choice of a TransposeTuning. The lines of the input are rows.
struct TransposeShape {
  Index element_bytes = 0;
  Index rows = 0;
  Index cols = 0;
  Index from_line_bytes = 0;  ///< distance between lines of the input
};

/// Matrix products: each team computes tiles of C.
struct GemmTuning {
  int tile_rows = 128;   ///< rows of C per tile, >= 1; GPUs support the pairs of gemm_tiles
  int tile_cols = 128;   ///< columns of C per tile, >= 1
  int tile_depth = 256;  ///< products added per tile between two accesses to memory, >= 1
  Index band = 8;        ///< tiles below each other that teams handle before the next column

  friend constexpr bool operator==(GemmTuning const&, GemmTuning const&) = default;
};

}  // namespace tessera
