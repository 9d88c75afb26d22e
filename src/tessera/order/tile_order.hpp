// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/summation.hpp>

/// The assignment of tiles to teams.
namespace tessera::detail {

using summation::Index;

/// A band of tiles, column by column, then the next band: teams are close in memory on both sides.
struct TileOrder {
  Index tile_rows;  ///< in elements
  Index tile_cols;
  Index rows;
  Index cols;
  Index band;

  TileOrder(Index elements_down, Index elements_across, Index rows_of_tile, Index cols_of_tile,
            Index tiles_of_band)
      : tile_rows(rows_of_tile),
        tile_cols(cols_of_tile),
        rows(summation::ceil_div(elements_down, rows_of_tile)),
        cols(summation::ceil_div(elements_across, cols_of_tile)),
        band(Kokkos::min(tiles_of_band, rows)) {}

  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index count() const { return rows * cols; }

  struct Corner {
    Index row;
    Index col;
  };
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Corner corner(Index number) const {
    Index const first = number / (band * cols) * band;
    Index const height = Kokkos::min(band, rows - first);
    Index const inside = number - first * cols;
    return {(first + inside % height) * tile_rows, inside / height * tile_cols};
  }
};

}  // namespace tessera::detail
