// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/kernels/launch.hpp>
#include <tessera/kernels/tuning.hpp>
#include <tessera/order/tile_order.hpp>
#include <tessera/order/transpose_plan.hpp>
#include <tessera/tuning.hpp>

/// Portable transposes. Teams move tiles.
namespace tessera::kernels {

using detail::Elements;
using detail::TileOrder;

template <class Team, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_place(Team const& team, Index rows, Index cols,
                                                Body const& body) {
  Index const side_by_side = Kokkos::min(cols, Index{team.team_size()});
  Index const lines = team.team_size() / side_by_side;
  Index const rank = team.team_rank();
  if (rank >= lines * side_by_side) return;
  for (Index i = rank / side_by_side; i < rows; i += lines) {
    for (Index j = rank % side_by_side; j < cols; j += side_by_side) body(i, j);
  }
}

/// Padded by an element per line: columns have no bank conflicts.
template <class T>
struct Tile {
  T* data;
  Index pitch;

  KOKKOS_FORCEINLINE_FUNCTION static Index scratch(Index rows, Index cols) {
    return rows * (cols + 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION Tile(T* scratch, Index cols) : data(scratch), pitch(cols + 1) {}
  KOKKOS_FORCEINLINE_FUNCTION T& operator()(Index i, Index j) const { return data[i * pitch + j]; }
};

template <class T>
struct MoveTile {
  Elements<T> e;
  TileOrder tiles;

  [[nodiscard]] Index scratch() const {
    return e.is_copy() ? 0 : Tile<T>::scratch(tiles.tile_rows, tiles.tile_cols);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, T* scratch) const {
    auto const corner = tiles.corner(team.league_rank());
    Index const rows = Kokkos::min(tiles.tile_rows, e.rows - corner.row);
    Index const cols = Kokkos::min(tiles.tile_cols, e.cols - corner.col);
    T const* const from = e.from + corner.row * e.from_row + corner.col * e.from_col;
    T* const to = e.to + corner.row * e.to_row + corner.col * e.to_col;
    if (scratch == nullptr) {
      for_each_place(team, rows, cols, [&](Index i, Index j) {
        to[i * e.to_row + j * e.to_col] = from[i * e.from_row + j * e.from_col];
      });
      return;
    }
    Tile<T> const tile(scratch, tiles.tile_cols);
    for_each_place(team, rows, cols,
                   [&](Index i, Index j) { tile(i, j) = from[i * e.from_row + j * e.from_col]; });
    team.team_barrier();
    for_each_place(team, cols, rows,
                   [&](Index j, Index i) { to[i * e.to_row + j * e.to_col] = tile(i, j); });
  }
};

template <class T>
struct ExchangeTiles {
  T* data;
  Index size;
  Index row;
  Index col;
  detail::TilePairs pairs;

  [[nodiscard]] Index scratch() const { return 2 * Tile<T>::scratch(pairs.tile, pairs.tile); }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, T* scratch) const {
    auto const corner = pairs.corner(team.league_rank());
    if (corner.row > corner.col) return;
    Index const rows = Kokkos::min(pairs.tile, size - corner.row);
    Index const cols = Kokkos::min(pairs.tile, size - corner.col);
    T* const upper = data + corner.row * row + corner.col * col;
    T* const lower = data + corner.col * row + corner.row * col;
    Tile<T> const tile_of_upper(scratch, pairs.tile);
    Tile<T> const tile_of_lower(scratch + Tile<T>::scratch(pairs.tile, pairs.tile), pairs.tile);
    for_each_place(team, rows, cols,
                   [&](Index i, Index j) { tile_of_upper(i, j) = upper[i * row + j * col]; });
    for_each_place(team, cols, rows,
                   [&](Index j, Index i) { tile_of_lower(j, i) = lower[j * row + i * col]; });
    team.team_barrier();
    for_each_place(team, rows, cols,
                   [&](Index i, Index j) { upper[i * row + j * col] = tile_of_lower(j, i); });
    for_each_place(team, cols, rows,
                   [&](Index j, Index i) { lower[j * row + i * col] = tile_of_upper(i, j); });
  }
};

template <class Exec, class T>
void transpose_elements(Exec const& exec, std::string const& label, Elements<T> const& e,
                        TransposeTuning const& tuning) {
  Index const tile = Index{tuning.tile_rows} * tuning.tile_cols;
  TileOrder const tiles =
      e.rows == 1 ? TileOrder(1, e.cols, 1, tile, 1)
                  : TileOrder(e.rows, e.cols, tuning.tile_rows, tuning.tile_cols, tuning.band);
  run_teams<T, most_threads>(exec, label, tiles.count(), tuning.team_size, MoveTile<T>{e, tiles});
}

template <class Exec, class T>
void transpose_square(Exec const& exec, std::string const& label, T* data, Index size, Index row,
                      Index col) {
  TransposeTuning const tuning = transpose_tuning<Exec>();
  detail::TilePairs const pairs(size, tuning.tile_rows);
  run_teams<T, most_threads>(exec, label, pairs.count(), tuning.team_size,
                             ExchangeTiles<T>{data, size, row, col, pairs});
}

}  // namespace tessera::kernels
