// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/variants/transpose/block.hpp>

namespace tessera::variants {

namespace detail {

template <class Exec, class T>
struct CopyRow {
  Rows<T const> A;
  Rows<T> out;
  Grid grid;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    Place const place = place_of(member, grid);
    for_each_thread(member, grid.block, [&](int const x, int const y) {
      Index const j = place.x * grid.block.x + x;
      Index const i = place.y * grid.block.y + y;
      if (A.has(i, j)) out(i, j) = A(i, j);
    });
  }
};

}  // namespace detail

/// out = A, a thread an element, neighbouring threads along a row.
///
/// What it teaches: the upper bound. No transpose by the same blocks moves its bytes faster than
/// this copy, whose loads and stores both are of neighbouring elements.
///
/// A is m x n and the output m x n, both row-major, rows may be padded; elements of 1, 2, 4, 8 or
/// 16 bytes. Takes every block of at most 1024 threads. Asynchronous in `exec`, no fence and no
/// allocation. Throws std::invalid_argument for a block that it cannot take, sizes that do not fit,
/// or overlap.
///
/// Source: J. Cheng, M. Grossman and T. McKercher, Professional CUDA C Programming, Wrox 2014,
/// chapter 4; there for matrices whose sizes are multiples of the block.
template <ExecutionSpace Exec, RowMajorOf<Exec> A, RowMajorOutputOf<Exec, A> Out>
void copy_row(Exec const& exec, A const& a, Out const& out, Block const& block) {
  detail::run_elements<detail::CopyRow>(exec, "copy-row", a, out, block, detail::Along::rows, true);
}

}  // namespace tessera::variants
