// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <utility>

#include <Kokkos_Core.hpp>

#include <tessera/order/tile_order.hpp>
#include <tessera/tuning.hpp>

/// Addresses of a transpose's elements.
namespace tessera::detail {

using summation::Index;

template <class T>
struct Elements {
  T const* from;
  T* to;
  Index rows;
  Index cols;
  Index from_row;  ///< from (i, j) to (i + 1, j)
  Index from_col;  ///< from (i, j) to (i, j + 1)
  Index to_row;
  Index to_col;

  [[nodiscard]] bool is_copy() const { return to_col <= to_row; }
  [[nodiscard]] bool is_contiguous() const {
    return from_col == 1 && (is_copy() ? to_col : to_row) == 1;
  }
};

template <class T>
struct Square {
  T* data;
  Index size;
  Index row;
  Index col;
};

/// The input's lines become rows. A direction of one element counts as the widest.
template <class A, class At>
auto elements_of(A const& a, At const& at) {
  constexpr Index widest = std::numeric_limits<Index>::max();
  auto const rows = static_cast<Index>(a.extent(0));
  auto const cols = static_cast<Index>(a.extent(1));
  auto const stride = [](Index extent, auto its_stride) {
    return extent == 1 ? widest : static_cast<Index>(its_stride);
  };
  Elements<typename At::value_type> e{a.data(),
                                      at.data(),
                                      rows,
                                      cols,
                                      stride(rows, a.stride(0)),
                                      stride(cols, a.stride(1)),
                                      stride(rows, at.stride(1)),
                                      stride(cols, at.stride(0))};
  if (e.from_row < e.from_col) {
    std::swap(e.rows, e.cols);
    std::swap(e.from_row, e.from_col);
    std::swap(e.to_row, e.to_col);
  }
  bool const is_copy = e.is_copy();
  if (e.rows == 1) e.from_row = e.to_row = is_copy ? e.cols : 1;
  if (e.cols == 1) e.from_col = 1;
  if (e.cols == 1) e.to_col = is_copy ? 1 : e.rows;
  if (is_copy && e.rows > 1 && e.from_col == 1 && e.to_col == 1 && e.from_row == e.cols &&
      e.to_row == e.cols) {
    e.cols *= e.rows;
    e.rows = 1;
    e.from_row = e.to_row = e.cols;
  }
  return e;
}

template <class T>
TransposeShape shape_of(Elements<T> const& e) {
  constexpr auto bytes = static_cast<Index>(sizeof(T));
  return {bytes, e.rows, e.cols, e.from_row * bytes};
}

/// Exchanged tiles, numbered by rows of the upper triangle; a diagonal tile is its own partner. Row
/// i is joined with row n - 1 - i, to n + 1 tiles.
struct TilePairs {
  Index tile;
  Index n;

  TilePairs(Index size, Index its_tile) : tile(its_tile), n(summation::ceil_div(size, its_tile)) {}

  [[nodiscard]] Index count() const { return (n + 1) / 2 * (n + 1); }

  /// row > col: no pair.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION TileOrder::Corner corner(Index number) const {
    Index const row = number / (n + 1);
    Index const place = number % (n + 1);
    if (place < n - row) return {row * tile, (row + place) * tile};
    Index const other = n - 1 - row;
    if (other == row) return {1, 0};  // the middle row has no partner
    return {other * tile, (other + place - (n - row)) * tile};
  }
};

template <class T>
bool on_words(T const* data, Index row, Index bytes) {
  return reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(bytes) == 0 &&
         row * static_cast<Index>(sizeof(T)) % bytes == 0;
}

}  // namespace tessera::detail
