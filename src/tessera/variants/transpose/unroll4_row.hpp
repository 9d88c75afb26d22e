// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/variants/transpose/block.hpp>

namespace tessera::variants {

namespace detail {

template <class Exec, class T>
struct Unroll4Row {
  Rows<T const> A;
  Rows<T> out;
  Grid grid;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    Place const place = place_of(member, grid);
    for_each_thread(member, grid.block, [&](int const x, int const y) {
      Index const first = place.x * 4 * grid.block.x + x;
      Index const i = place.y * grid.block.y + y;
      for (int k = 0; k < 4; ++k) {
        Index const j = first + k * grid.block.x;
        if (A.has(i, j)) out(j, i) = A(i, j);
      }
    });
  }
};

}  // namespace detail

/// At = Aᵀ as naive-row, with four elements a thread, a block's width apart.
///
/// What it teaches: loads that do not wait for each other hide the latency of memory, with fewer
/// threads. Here the last block of a row is as short as the row asks.
///
/// A is m x n and At n x m, both row-major, rows may be padded; elements of 1, 2, 4, 8 or 16 bytes.
/// Takes every block of at most 1024 threads. Asynchronous in `exec`, no fence and no allocation.
/// Throws std::invalid_argument for a block that it cannot take, sizes that do not fit, or overlap.
///
/// Source: J. Cheng, M. Grossman and T. McKercher, Professional CUDA C Programming, Wrox 2014,
/// chapter 4; there for matrices whose sizes are multiples of the block.
template <ExecutionSpace Exec, RowMajorOf<Exec> A, RowMajorOutputOf<Exec, A> Out>
void unroll4_row(Exec const& exec, A const& a, Out const& out, Block const& block) {
  detail::run_elements<detail::Unroll4Row>(exec, "unroll4-row", a, out, block, detail::Along::rows,
                                           false, 4);
}

}  // namespace tessera::variants
