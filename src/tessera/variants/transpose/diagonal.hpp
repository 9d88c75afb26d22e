// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/variants/transpose/block.hpp>

namespace tessera::variants::detail {

/// The block with this number where blocks are counted along the diagonals of a grid of any shape:
/// down a diagonal, which goes on at the left where it reaches the right, then the next one.
KOKKOS_INLINE_FUNCTION Place diagonal_place(Index number, Grid const& grid) {
  Index const y = number % grid.y;
  return {(number / grid.y + y) % grid.x, y};
}

}  // namespace tessera::variants::detail
