// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <utility>

#include <Kokkos_Core.hpp>

#include <tessera/order/tile_order.hpp>
#include <tessera/tuning.hpp>

/// Addresses of the elements of a transpose, and their distribution to teams.
namespace tessera::detail {

using summation::Index;

/// Element (i, j) of the input and its place in the output. All strides are in elements.
template <class T>
struct Elements {
  T const* from;
  T* to;
  Index rows;
  Index cols;
  Index from_row;  ///< from element (i, j) to (i + 1, j)
  Index from_col;  ///< from element (i, j) to (i, j + 1)
  Index to_row;
  Index to_col;

  /// Whether the lines of input and output have the same direction, so memory is only copied.
  [[nodiscard]] bool is_copy() const { return to_col <= to_row; }
  [[nodiscard]] bool is_contiguous() const {
    return from_col == 1 && (is_copy() ? to_col : to_row) == 1;
  }
};

/// A square matrix that is transposed in place.
template <class T>
struct Square {
  T* data;
  Index size;
  Index row;  ///< from element (i, j) to (i + 1, j)
  Index col;  ///< from element (i, j) to (i, j + 1)
};

/// Describes the transpose of A to At so that the input's lines are rows. A direction with one
/// element has no stride, and counts as the widest.
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
  // The following code adds strides: make unused ones harmless.
  if (e.rows == 1) e.from_row = e.to_row = is_copy ? e.cols : 1;
  if (e.cols == 1) e.from_col = 1;
  if (e.cols == 1) e.to_col = is_copy ? 1 : e.rows;
  // Merge lines without gaps on both sides to one line.
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

/// The pairs of tiles of a square matrix that are exchanged; diagonal tiles are paired with
/// themselves. The pairs are numbered by rows of the upper triangle. The first row is joined with
/// the last, the second with the last but one, and so on, which makes rows of n + 1 tiles.
struct TilePairs {
  Index tile;
  Index n;  ///< tiles per line

  TilePairs(Index size, Index its_tile) : tile(its_tile), n(summation::ceil_div(size, its_tile)) {}

  [[nodiscard]] Index count() const { return (n + 1) / 2 * (n + 1); }

  /// The first elements of both tiles; row > col if there is no such pair.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION TileOrder::Corner corner(Index number) const {
    Index const row = number / (n + 1);
    Index const place = number % (n + 1);
    if (place < n - row) return {row * tile, (row + place) * tile};
    Index const other = n - 1 - row;
    if (other == row) return {1, 0};  // the row in the middle has no partner
    return {other * tile, (other + place - (n - row)) * tile};
  }
};

/// Whether rows of elements start on multiples of `bytes` bytes.
template <class T>
bool on_words(T const* data, Index row, Index bytes) {
  return reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(bytes) == 0 &&
         row * static_cast<Index>(sizeof(T)) % bytes == 0;
}

}  // namespace tessera::detail
