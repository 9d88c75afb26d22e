// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/simd.hpp>
#include <tessera/checks.hpp>
#include <tessera/detail/launch.hpp>
#include <tessera/detail/transpose_plan.hpp>
#include <tessera/tuning.hpp>

/// Transposes by host threads: teams of one.
namespace tessera::detail {

/// A tile is read line by line into scratch, from where a strip of its columns is turned at a time
/// and written: whole lines of the cache on both sides, however far apart lines are.
template <class Exec, class T, bool Contiguous, bool Stream>
struct TransposeTile {
  Elements<T> e;
  TileOrder tiles;
  int level;

  /// Elements of scratch: a tile and a strip.
  static Index scratch(Index tile_rows, Index tile_cols) {
    return whole_strips(tile_rows) * pitch(tile_cols) + width * pitch(tile_rows);
  }

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    auto const corner = tiles.corner(member.league_rank());
    Index const rows = Kokkos::min(tiles.tile_rows, e.rows - corner.row);
    Index const cols = Kokkos::min(tiles.tile_cols, e.cols - corner.col);
    Index const line_pitch = pitch(tiles.tile_cols);
    Index const strip_pitch = pitch(tiles.tile_rows);
    Index const lines = whole_strips(tiles.tile_rows);
    T const* const from = e.from + corner.row * e.from_row + corner.col * e.from_col;
    T* const to = e.to + corner.row * e.to_row + corner.col * e.to_col;
    T* const sA = team_scratch<T>(member, level, lines * line_pitch + width * strip_pitch);
    T* const sStrip = sA + lines * line_pitch;  // (width, rows); sA is (rows, cols)

    for (Index i = 0; i < rows; ++i) {
      T const* const line = from + i * e.from_row;
      T* const copy = sA + i * line_pitch;
      for (Index j = 0; j < cols; ++j) copy[j] = line[Contiguous ? j : j * e.from_col];
    }
    for (Index j = 0; j < cols; j += width) {
      // Beyond the last row and column there is room in scratch, and nothing that is kept.
      for (Index i = 0; i < rows; i += width) {
        backends::host::transpose_block<size>(
            reinterpret_cast<unsigned char const*>(sA + i * line_pitch + j), line_pitch * size,
            reinterpret_cast<unsigned char*>(sStrip + i), strip_pitch * size);
      }
      for (Index k = 0; k < Kokkos::min(Index{width}, cols - j); ++k) {
        write(sStrip + k * strip_pitch, to + (j + k) * e.to_col, rows);
      }
    }
    if constexpr (Stream) backends::host::end_of_stream();
  }

 private:
  static constexpr int size = static_cast<int>(sizeof(T));
  static constexpr Index width = 16 / size;  ///< columns of a strip

  /// Elements from line to line in scratch: a line of the cache more than needed, so that lines do
  /// not meet in one place of it.
  KOKKOS_FUNCTION static constexpr Index pitch(Index length) {
    return summation::ceil_div(length * size, 64) * 64 / size + 64 / size;
  }
  KOKKOS_FUNCTION static constexpr Index whole_strips(Index rows) {
    return summation::ceil_div(rows, width) * width;
  }
  KOKKOS_FUNCTION void write(T const* from, T* to, Index count) const {
    if constexpr (Stream) {
      backends::host::stream(from, to, count);
    } else {
      for (Index i = 0; i < count; ++i) to[Contiguous ? i : i * e.to_row] = from[i];
    }
  }
};

/// Lines to lines.
template <class Exec, class T, bool Contiguous>
struct CopyTile {
  Elements<T> e;
  TileOrder tiles;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    auto const corner = tiles.corner(member.league_rank());
    Index const rows = Kokkos::min(tiles.tile_rows, e.rows - corner.row);
    Index const cols = Kokkos::min(tiles.tile_cols, e.cols - corner.col);
    for (Index i = corner.row; i < corner.row + rows; ++i) {
      T const* const from = e.from + i * e.from_row + corner.col * e.from_col;
      T* const to = e.to + i * e.to_row + corner.col * e.to_col;
      for (Index j = 0; j < cols; ++j) {
        to[Contiguous ? j : j * e.to_col] = from[Contiguous ? j : j * e.from_col];
      }
    }
  }
};

/// Two tiles of a square matrix change places by way of scratch.
template <class Exec, class T>
struct SwapTiles {
  T* data;
  Index size;
  Index row;  ///< stride
  Index col;
  TilePairs pairs;
  int level;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    auto const corner = pairs.corner(member.league_rank());
    if (corner.row > corner.col) return;
    Index const tile = pairs.tile;
    Index const rows = Kokkos::min(tile, size - corner.row);
    Index const cols = Kokkos::min(tile, size - corner.col);
    T* const upper = data + corner.row * row + corner.col * col;    // (rows, cols)
    T* const lower = data + corner.col * row + corner.row * col;    // (cols, rows)
    T* const sUpper = team_scratch<T>(member, level, tile * tile);  // (cols, rows)
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) sUpper[j * tile + i] = upper[i * row + j * col];
    }
    if (corner.row != corner.col) {
      for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < cols; ++j) upper[i * row + j * col] = lower[j * row + i * col];
      }
    }
    for (Index j = 0; j < cols; ++j) {
      for (Index i = 0; i < rows; ++i) lower[j * row + i * col] = sUpper[j * tile + i];
    }
  }
};

/// Moves all elements, as `tuning` has it.
template <class Exec, class T>
void transpose_elements(Exec const& exec, std::string const& label, Elements<T> const& e,
                        TransposeTuning const& tuning) {
  if (tuning.team_size != 1) {
    checks::fail("TransposeTuning",
                 "a team of host threads has one, not " + std::to_string(tuning.team_size));
  }
  TileOrder const tiles(e.rows, e.cols, tuning.tile_rows, tuning.tile_cols, tuning.band);
  if (e.is_copy()) {
    // A single line is cut into pieces of a tile's size.
    Index const tile = Index{tuning.tile_rows} * tuning.tile_cols;
    TileOrder const pieces = e.rows == 1 ? TileOrder(1, e.cols, 1, tile, 1) : tiles;
    if (e.is_contiguous()) {
      for_each_team(exec, label, pieces.count(), 0, CopyTile<Exec, T, true>{e, pieces});
    } else {
      for_each_team(exec, label, pieces.count(), 0, CopyTile<Exec, T, false>{e, pieces});
    }
    return;
  }
  std::size_t const bytes = scratch_bytes<T>(
      TransposeTile<Exec, T, false, false>::scratch(tuning.tile_rows, tuning.tile_cols));
  int const level = scratch_level<Exec>(bytes);
  auto const run = [&]<bool Contiguous, bool Stream>(std::bool_constant<Contiguous>,
                                                     std::bool_constant<Stream>) {
    for_each_team(exec, label, tiles.count(), bytes,
                  TransposeTile<Exec, T, Contiguous, Stream>{e, tiles, level});
  };
  // Lines of the cache that are written in two pieces would be read and written twice.
  bool const lines_of_cache = on_words(e.to, e.to_col, 64);
  if (!e.is_contiguous()) {
    run(std::false_type{}, std::false_type{});
  } else if (tuning.stream && lines_of_cache) {
    run(std::true_type{}, std::true_type{});
  } else {
    run(std::true_type{}, std::false_type{});
  }
}

/// Moves all elements of a square matrix in place.
template <class Exec, class T>
void transpose_square(Exec const& exec, std::string const& label, T* data, Index size, Index row,
                      Index col) {
  constexpr Index edge = 64;
  TilePairs const pairs(size, edge);
  std::size_t const bytes = scratch_bytes<T>(pairs.tile * pairs.tile);
  for_each_team(exec, label, pairs.count(), bytes,
                SwapTiles<Exec, T>{data, size, row, col, pairs, scratch_level<Exec>(bytes)});
}

}  // namespace tessera::detail
