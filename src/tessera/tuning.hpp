// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tessera/summation.hpp>

/// Tunings: who adds what, never in which order. Each is a plain aggregate that the backend chooses
/// for a shape (tessera/backends) and a caller may override; no value changes a bit of a result.
namespace tessera {

using summation::Index;

/// Dot products of lines (`multiply` of a row-major, `multiply_transposed` of a column-major
/// matrix).
struct DotTuning {
  int lines_per_step = 1;     ///< lines walked side by side: 1, 2, 4 or 8
  Index lines_per_team = 64;  ///< lines of one team, >= 1
  Index segments_per_run =
      0;  ///< power of two: a line is cut into runs of so many segments; 0: whole

  friend constexpr bool operator==(DotTuning const&, DotTuning const&) = default;
};

/// Sums over lines (`multiply_transposed` of a row-major, `multiply` of a column-major matrix).
struct SumTuning {
  int lines_per_step = 8;         ///< lines added in one visit of the columns: 1, 2, 4 or 8
  Index columns_per_team = 4096;  ///< columns of one team, >= 1
  Index panels_per_team = 1;      ///< panels of one team: a power of two

  friend constexpr bool operator==(SumTuning const&, SumTuning const&) = default;
};

/// Fused ATAX of a row-major matrix: a team reads panels of lines once.
struct FusedLinesTuning {
  int lines_per_step = 4;        ///< lines kept in cache between the two passes: 1, 2, 4 or 8
  bool dot_side_by_side = true;  ///< dot products of a step's lines together, or one by one
  Index panels_per_team = 1;     ///< panels of one team: a power of two

  friend constexpr bool operator==(FusedLinesTuning const&, FusedLinesTuning const&) = default;
};

/// Fused ATAX of a column-major matrix: a team reads tiles, runs of segments of all lines, once. A
/// GPU that cuts few lines into slices, parts of segments that fit scratch, has slices as tiles.
struct FusedTilesTuning {
  Index segments_per_tile = 1;  ///< segments of each line in a tile: a power of two; slices: unused
  Index tiles_per_team =
      1;                   ///< tiles of one team: a power of two; at most so many slices of a group
  int lines_per_step = 8;  ///< lines added in one visit of the tile's part of B: 1, 2, 4 or 8

  friend constexpr bool operator==(FusedTilesTuning const&, FusedTilesTuning const&) = default;
};

/// Everything a backend chooses for one matrix.
struct Tuning {
  DotTuning dot{};
  SumTuning sum{};
  FusedLinesTuning fused_lines{};
  FusedTilesTuning fused_tiles{};
  bool prefer_fused = true;  ///< what Method::automatic of `atax` takes, where lines suit it

  friend constexpr bool operator==(Tuning const&, Tuning const&) = default;
};

/// Transposes: teams move tiles of the input.
struct TransposeTuning {
  int tile_rows = 64;   ///< lines of the input in a tile, >= 1; GPUs have squares
  int tile_cols = 64;   ///< elements of a line in a tile, >= 1
  int team_size = 1;    ///< threads of a team; 1 on hosts
  Index band = 1;       ///< tiles one below the other that teams take before the next column
  bool stream = false;  ///< hosts: write past the caches

  friend constexpr bool operator==(TransposeTuning const&, TransposeTuning const&) = default;
};

/// What a backend chooses a TransposeTuning by; the lines of the input are rows.
struct TransposeShape {
  Index element_bytes = 0;
  Index rows = 0;
  Index cols = 0;
  Index from_line_bytes = 0;  ///< from a line of the input to the next
};

/// Matrix products: teams make tiles of C.
struct GemmTuning {
  int tile_rows = 128;   ///< rows of C in a tile, >= 1; GPUs have the pairs of gemm_tiles
  int tile_cols = 128;   ///< columns of C in a tile, >= 1
  int tile_depth = 256;  ///< products that a tile adds between two visits of memory, >= 1
  Index band = 8;        ///< tiles one below the other that teams take before the next column

  friend constexpr bool operator==(GemmTuning const&, GemmTuning const&) = default;
};

}  // namespace tessera
