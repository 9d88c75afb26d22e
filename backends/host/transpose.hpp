// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/host/launch.hpp>
#include <tessera/backends/host/simd.hpp>
#include <tessera/checks.hpp>
#include <tessera/order/transpose_plan.hpp>
#include <tessera/tuning.hpp>

/// Transposes by teams of one thread.
namespace tessera::detail {

/// A tile is read to scratch by lines, and written in blocks of whole cache lines while the next
/// tile is read.
template <class T, bool Contiguous, bool Stream>
struct TransposeTiles {
  Elements<T> e;
  TileOrder tiles;
  Index tiles_per_team;

  static Index scratch(Index tile_rows, Index tile_cols) {
    return 2 * tile_scratch(tile_rows, tile_cols) + width * height;
  }

  KOKKOS_FUNCTION void operator()(HostTeam<T> const& team) const {
    Index const first = team.league_rank * tiles_per_team;
    Index const end = Kokkos::min(tiles.count(), first + tiles_per_team);
    Index const line_pitch = pitch(tiles.tile_cols);
    Index const size_of_tile = tile_scratch(tiles.tile_rows, tiles.tile_cols);
    T* const sTiles = team.scratch;
    T* const sBlock = sTiles + 2 * size_of_tile;  // (width, height)
    // Writes through `e.to` may alias *this, not this copy.
    TransposeTiles const own = *this;
    Reader(e, tile(first), sTiles, line_pitch).finish();
    for (Index t = first; t < end; ++t) {
      Tile const now = tile(t);
      T const* const sA = sTiles + (t - first) % 2 * size_of_tile;  // (rows, cols)
      T* const sNext = sTiles + (t + 1 - first) % 2 * size_of_tile;
      Reader next(e, t + 1 < end ? tile(t + 1) : Tile{0, 0, 0, 0}, sNext, line_pitch);
      for (Index j = 0; j < now.cols; j += width) {
        for (Index i = 0; i < now.rows; i += height) {
          own.turn(now, i, j, sA + i * line_pitch + j, line_pitch, sBlock);
          next.read(width * height);
        }
      }
      next.finish();
    }
    if constexpr (Stream) backends::host::end_of_stream();
  }

 private:
  static constexpr int size = static_cast<int>(sizeof(T));
  static constexpr Index width = 32 / size;   ///< columns of a block
  static constexpr Index height = 64 / size;  ///< rows of a block: a cache line

  struct Tile {
    Index row;
    Index col;
    Index rows;
    Index cols;
  };
  KOKKOS_FUNCTION Tile tile(Index number) const {
    auto const corner = tiles.corner(number);
    return {corner.row, corner.col, Kokkos::min(tiles.tile_rows, e.rows - corner.row),
            Kokkos::min(tiles.tile_cols, e.cols - corner.col)};
  }

  class Reader {
   public:
    KOKKOS_FORCEINLINE_FUNCTION Reader(Elements<T> const& e, Tile const& tile, T* to,
                                       Index to_pitch)
        : from_(e.from + tile.row * e.from_row + tile.col * e.from_col),
          from_row_(e.from_row),
          from_col_(e.from_col),
          rows_(tile.rows),
          cols_(tile.cols),
          rows_ahead_(lines_ahead * height / (tile.cols + 1) + 1),
          copy_(to),
          copy_pitch_(to_pitch) {
      for (Index i = 0; i < Kokkos::min(rows_, rows_ahead_); ++i) {
        look_at(from_ + i * from_row_, cols_);
      }
    }
    KOKKOS_FORCEINLINE_FUNCTION void read(Index count) {
      while (count > 0 && rows_ > 0) {
        Index const here = Kokkos::min(count, cols_ - col_);
        if (rows_ > rows_ahead_) look_at(from_ + rows_ahead_ * from_row_ + col_, here);
        Index k = 0;
        if constexpr (Contiguous) {
          for (; k + height <= here; k += height) {
            backends::host::copy_line(reinterpret_cast<unsigned char const*>(from_ + col_ + k),
                                      reinterpret_cast<unsigned char*>(copy_ + col_ + k));
          }
        }
        for (; k < here; ++k) {
          copy_[col_ + k] = from_[Contiguous ? col_ + k : (col_ + k) * from_col_];
        }
        count -= here;
        col_ += here;
        if (col_ < cols_) return;
        col_ = 0;
        --rows_;
        from_ += from_row_;
        copy_ += copy_pitch_;
      }
    }
    KOKKOS_FORCEINLINE_FUNCTION void finish() { read(rows_ * cols_); }

   private:
    /// As many prefetches as a core can wait for. The hardware prefetcher restarts at every row.
    static constexpr Index lines_ahead = 24;

    KOKKOS_FORCEINLINE_FUNCTION static void look_at(T const* place, Index count) {
      if constexpr (Contiguous) {
        for (Index k = 0; k < count; k += height) backends::host::prefetch(place + k);
      }
    }

    T const* from_;
    Index from_row_;
    Index from_col_;
    Index rows_;  ///< rows left
    Index cols_;
    Index col_ = 0;
    Index rows_ahead_;
    T* copy_;
    Index copy_pitch_;
  };

  KOKKOS_FORCEINLINE_FUNCTION void turn(Tile const& tile, Index i, Index j, T const* sA,
                                        Index line_pitch, T* sBlock) const {
    auto const* const from = reinterpret_cast<unsigned char const*>(sA);
    T* const to = e.to + (tile.row + i) * e.to_row + (tile.col + j) * e.to_col;
    Index const rows = Kokkos::min(Index{height}, tile.rows - i);
    Index const cols = Kokkos::min(Index{width}, tile.cols - j);
    if (Contiguous && rows == height && cols == width) {
      backends::host::transpose_block<size, Stream>(
          from, line_pitch * size, reinterpret_cast<unsigned char*>(to), e.to_col * size);
      return;
    }
    // Scratch has room beyond the tile.
    backends::host::transpose_block<size, false>(
        from, line_pitch * size, reinterpret_cast<unsigned char*>(sBlock), height * size);
    for (Index k = 0; k < cols; ++k) {
      for (Index l = 0; l < rows; ++l) {
        to[k * e.to_col + (Contiguous ? l : l * e.to_row)] = sBlock[k * height + l];
      }
    }
  }

  /// Adds a cache line, to avoid conflicts in few cache sets.
  KOKKOS_FUNCTION static constexpr Index pitch(Index length) {
    return (summation::ceil_div(length, height) + 1) * height;
  }
  KOKKOS_FUNCTION static constexpr Index tile_scratch(Index tile_rows, Index tile_cols) {
    return summation::ceil_div(tile_rows, height) * height * pitch(tile_cols);
  }
};

template <class T, bool Contiguous>
struct CopyTile {
  Elements<T> e;
  TileOrder tiles;

  KOKKOS_FUNCTION void operator()(HostTeam<T> const& team) const {
    auto const corner = tiles.corner(team.league_rank);
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

template <class T>
struct SwapTiles {
  T* data;
  Index size;
  Index row;
  Index col;
  TilePairs pairs;

  KOKKOS_FUNCTION void operator()(HostTeam<T> const& team) const {
    auto const corner = pairs.corner(team.league_rank);
    if (corner.row > corner.col) return;
    Index const tile = pairs.tile;
    Index const rows = Kokkos::min(tile, size - corner.row);
    Index const cols = Kokkos::min(tile, size - corner.col);
    T* const upper = data + corner.row * row + corner.col * col;
    T* const lower = data + corner.col * row + corner.row * col;
    T* const sUpper = team.scratch;
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

template <class Exec, class T>
void transpose_elements(Exec const& exec, std::string const& label, Elements<T> const& e,
                        TransposeTuning const& tuning) {
  if (tuning.team_size != 1) {
    checks::fail("TransposeTuning",
                 "a team of host threads has one, not " + std::to_string(tuning.team_size));
  }
  TileOrder const tiles(e.rows, e.cols, tuning.tile_rows, tuning.tile_cols, tuning.band);
  if (e.is_copy()) {
    Index const tile = Index{tuning.tile_rows} * tuning.tile_cols;
    TileOrder const pieces = e.rows == 1 ? TileOrder(1, e.cols, 1, tile, 1) : tiles;
    if (e.is_contiguous()) {
      for_each_team<T>(exec, label, pieces.count(), 0, CopyTile<T, true>{e, pieces});
    } else {
      for_each_team<T>(exec, label, pieces.count(), 0, CopyTile<T, false>{e, pieces});
    }
    return;
  }
  Index const scratch =
      TransposeTiles<T, false, false>::scratch(tuning.tile_rows, tuning.tile_cols);
  // A team's first read does not overlap with writes. Four teams per thread balance the load.
  Index const of_team = summation::ceil_div(tiles.count(), Index{4} * exec.concurrency());
  auto const run = [&]<bool Contiguous, bool Stream>(std::bool_constant<Contiguous>,
                                                     std::bool_constant<Stream>) {
    for_each_team<T>(exec, label, summation::ceil_div(tiles.count(), of_team), scratch,
                     TransposeTiles<T, Contiguous, Stream>{e, tiles, of_team});
  };
  // Partial cache lines would be read and written twice.
  bool const lines_of_cache =
      on_words(e.to, e.to_col, 64) && tuning.tile_rows * static_cast<Index>(sizeof(T)) % 64 == 0;
  if (!e.is_contiguous()) {
    run(std::false_type{}, std::false_type{});
  } else if (tuning.stream && lines_of_cache) {
    run(std::true_type{}, std::true_type{});
  } else {
    run(std::true_type{}, std::false_type{});
  }
}

template <class Exec, class T>
void transpose_square(Exec const& exec, std::string const& label, T* data, Index size, Index row,
                      Index col) {
  constexpr Index edge = 64;
  TilePairs const pairs(size, edge);
  for_each_team<T>(exec, label, pairs.count(), pairs.tile * pairs.tile,
                   SwapTiles<T>{data, size, row, col, pairs});
}

template <class Exec, class T>
  requires(!backends::Backend<Exec>::is_gpu)
void accelerated_transpose(Exec const& exec, std::string const& label, Elements<T> const& e,
                           TransposeTuning const& tuning) {
  transpose_elements(exec, label, e, tuning);
}
template <class Exec, class T>
  requires(!backends::Backend<Exec>::is_gpu)
void accelerated_transpose(Exec const& exec, std::string const& label, Square<T> const& a) {
  transpose_square(exec, label, a.data, a.size, a.row, a.col);
}

}  // namespace tessera::detail
