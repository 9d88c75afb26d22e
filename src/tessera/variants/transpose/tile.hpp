// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/variants/transpose/block.hpp>
#include <tessera/variants/transpose/tile_kernel.hpp>

namespace tessera::variants {

/// At = Aᵀ by way of a tile in scratch, a thread an element.
///
/// What it teaches: read along the rows of A into scratch, write along the rows of At out of it;
/// the jump from element to element happens where it costs least. It is not free: threads that read
/// a column of the tile meet in the banks of shared memory.
///
/// A is m x n and At n x m, both row-major, rows may be padded; elements of 1, 2, 4, 8 or 16 bytes.
/// Takes every block of at most 1024 threads whose tile fits the scratch. Asynchronous in `exec`,
/// no fence and no allocation. Throws std::invalid_argument for a block that it cannot take, sizes
/// that do not fit, or overlap.
///
/// Source: J. Cheng, M. Grossman and T. McKercher, Professional CUDA C Programming, Wrox 2014,
/// chapter 5, after G. Ruetsch and P. Micikevicius, Optimizing Matrix Transpose in CUDA, NVIDIA
/// 2009; there for matrices whose sizes are multiples of the block.
template <ExecutionSpace Exec, RowMajorOf<Exec> A, RowMajorOutputOf<Exec, A> Out>
void tile(Exec const& exec, A const& a, Out const& out, Block const& block) {
  detail::run_tile<0, 1>(exec, "tile", a, out, block);
}

}  // namespace tessera::variants
