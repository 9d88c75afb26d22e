// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/variants/transpose/block.hpp>

namespace tessera::variants {

namespace detail {

template <class Exec, class T>
struct NaiveCol {
  Rows<T const> A;
  Rows<T> out;
  Grid grid;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    Place const place = place_of(member, grid);
    for_each_thread(member, grid.block, [&](int const x, int const y) {
      Index const i = place.x * grid.block.x + x;
      Index const j = place.y * grid.block.y + y;
      if (A.has(i, j)) out(j, i) = A(i, j);
    });
  }
};

}  // namespace detail

/// At = Aᵀ, a thread an element, neighbouring threads along a column of A.
///
/// What it teaches: stores of neighbouring elements, loads that are as far apart as rows of A. The
/// sectors that such loads leave in the cache serve the threads of later rows, and it is faster
/// than naive-row where a block has several of them.
///
/// A is m x n and At n x m, both row-major, rows may be padded; elements of 1, 2, 4, 8 or 16 bytes.
/// Takes every block of at most 1024 threads. Asynchronous in `exec`, no fence and no allocation.
/// Throws std::invalid_argument for a block that it cannot take, sizes that do not fit, or overlap.
///
/// Source: J. Cheng, M. Grossman and T. McKercher, Professional CUDA C Programming, Wrox 2014,
/// chapter 4; there for matrices whose sizes are multiples of the block.
template <ExecutionSpace Exec, RowMajorOf<Exec> A, RowMajorOutputOf<Exec, A> Out>
void naive_col(Exec const& exec, A const& a, Out const& out, Block const& block) {
  detail::run_elements<detail::NaiveCol>(exec, "naive-col", a, out, block, detail::Along::columns);
}

}  // namespace tessera::variants
