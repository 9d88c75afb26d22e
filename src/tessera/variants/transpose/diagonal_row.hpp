// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/variants/transpose/block.hpp>
#include <tessera/variants/transpose/diagonal.hpp>

namespace tessera::variants {

namespace detail {

template <class Exec, class T>
struct DiagonalRow {
  Rows<T const> A;
  Rows<T> out;
  Grid grid;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    Place const place = diagonal_place(member.league_rank(), grid);
    for_each_thread(member, grid.block, [&](int const x, int const y) {
      Index const j = place.x * grid.block.x + x;
      Index const i = place.y * grid.block.y + y;
      if (A.has(i, j)) out(j, i) = A(i, j);
    });
  }
};

}  // namespace detail

/// At = Aᵀ as naive-row, with blocks numbered along the diagonals of the grid.
///
/// What it teaches: blocks that run at the same time should not meet in one partition of memory, as
/// those of a column of blocks do where rows are a power of two long. Processors that spread
/// addresses over partitions by a hash have made it an exercise.
///
/// A is m x n and At n x m, both row-major, rows may be padded; elements of 1, 2, 4, 8 or 16 bytes.
/// Takes every block of at most 1024 threads. Asynchronous in `exec`, no fence and no allocation.
/// Throws std::invalid_argument for a block that it cannot take, sizes that do not fit, or overlap.
///
/// Source: G. Ruetsch and P. Micikevicius, Optimizing Matrix Transpose in CUDA, NVIDIA 2009; and J.
/// Cheng, M. Grossman and T. McKercher, Professional CUDA C Programming, Wrox 2014, chapter 4.
template <ExecutionSpace Exec, RowMajorOf<Exec> A, RowMajorOutputOf<Exec, A> Out>
void diagonal_row(Exec const& exec, A const& a, Out const& out, Block const& block) {
  detail::run_elements<detail::DiagonalRow>(exec, "diagonal-row", a, out, block,
                                            detail::Along::rows);
}

}  // namespace tessera::variants
