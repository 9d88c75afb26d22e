// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/gemv/detail/common.hpp>
#include <cstddef>

#include <Kokkos_Core.hpp>

#include <tessera/workspace.hpp>

namespace tessera::published::gemv::detail {

/// Adds the right half of each row of products to the left one until one column is left.
template <class T, bool RowMajor>
struct Halving {
  Elements<T const, RowMajor> A;
  Strided<T const> v;
  Elements<T, RowMajor> buffer;
  Strided<T> B;
  TeamShape team;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION static Index half(Index length) { return (length + 1) / 2; }

  [[nodiscard]] KOKKOS_INLINE_FUNCTION Tiles<RowMajor> product_tiles() const {
    return {A.rows, A.cols, team};
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Tiles<RowMajor> half_tiles(Index length) const {
    return {A.rows, length - half(length), team};
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Tiles<RowMajor> store_tiles() const {
    return {A.rows, 1, {static_cast<int>(team.threads()), 1}};
  }

  KOKKOS_INLINE_FUNCTION void multiply(Index tile, int thread) const {
    auto const tiles = product_tiles();
    Element const e = tiles.element(tile, thread);
    if (tiles.has(e)) buffer(e.row, e.col) = A(e.row, e.col) * v[e.col];
  }
  /// No thread reads what another one writes.
  KOKKOS_INLINE_FUNCTION void halve(Index length, Index tile, int thread) const {
    auto const tiles = half_tiles(length);
    Element const e = tiles.element(tile, thread);
    if (tiles.has(e)) buffer(e.row, e.col) += buffer(e.row, e.col + half(length));
  }
  KOKKOS_INLINE_FUNCTION void store(Index tile, int thread) const {
    auto const tiles = store_tiles();
    Element const e = tiles.element(tile, thread);
    if (tiles.has(e)) B[e.row] = buffer(e.row, 0) + T(0);
  }
};

template <class Exec, class T, bool RowMajor>
Halving<T, RowMajor> halving(Exec const& exec, tessera::detail::WorkspaceOfCall<Exec>& workspace,
                             Elements<T const, RowMajor> const& A, Strided<T const> v, Strided<T> B,
                             TeamShape team) {
  auto const size = static_cast<std::size_t>(A.rows) * static_cast<std::size_t>(A.cols);
  T* const data = reinterpret_cast<T*>(workspace.reserve(exec, size * sizeof(T)).data);
  return {A, v, {data, A.rows, A.cols, RowMajor ? A.cols : A.rows}, B, team};
}

}  // namespace tessera::published::gemv::detail
