// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tessera/backends/gpu/words.hpp>
#include <tessera/tuning.hpp>

/// Tiles of matrix products for GPUs.
namespace tessera::detail::gpu {

/// WarpRows x WarpCols warps of threads with RowWords x ColWords squares of word_width<T> elements;
/// Teams: see for_each_team().
template <class T, int RowWords, int ColWords, int WarpRows, int WarpCols, int Depth, int Teams>
struct GemmTileShape {
  static constexpr int row_words = RowWords;
  static constexpr int col_words = ColWords;
  static constexpr int warp_cols = WarpCols;
  static constexpr int rows_of_warp = 8 * RowWords * word_width<T>;
  static constexpr int cols_of_warp = 4 * ColWords * word_width<T>;
  static constexpr int rows = WarpRows * rows_of_warp;
  static constexpr int cols = WarpCols * cols_of_warp;
  static constexpr int depth = Depth;
  static constexpr int threads = WarpRows * WarpCols * warp_threads;
  static constexpr int teams = Teams;
};

template <class T>
struct GemmTileShapes;
template <>
struct GemmTileShapes<float> {
  template <class Body>
  static void for_each(Body const& body) {
    body(GemmTileShape<float, 4, 2, 1, 4, 8, 2>{});   // 128 x 128
    body(GemmTileShape<float, 2, 2, 1, 4, 16, 3>{});  // 64 x 128
    body(GemmTileShape<float, 2, 2, 1, 2, 16, 4>{});  // 64 x 64
  }
};
template <>
struct GemmTileShapes<double> {
  template <class Body>
  static void for_each(Body const& body) {
    body(GemmTileShape<double, 4, 4, 1, 4, 8, 1>{});  // 64 x 128
    body(GemmTileShape<double, 2, 4, 2, 2, 8, 3>{});  // 64 x 64
    body(GemmTileShape<double, 2, 2, 2, 2, 8, 4>{});  // 64 x 32
  }
};

template <class T, class Body>
bool with_gemm_tile(GemmTuning const& tuning, Body const& body) {
  bool found = false;
  GemmTileShapes<T>::for_each([&]<class Tile>(Tile tile) {
    if (found || tuning.tile_rows != Tile::rows || tuning.tile_cols != Tile::cols ||
        tuning.tile_depth != Tile::depth) {
      return;
    }
    found = true;
    body(tile);
  });
  return found;
}

}  // namespace tessera::detail::gpu
