// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/variants/transpose/block.hpp>

namespace tessera::variants::detail {

/// A block reads a tile of A along its rows, `Unroll` blocks wide, into scratch with `Pad` unused
/// elements a row, and writes it along the rows of At: the block's threads, counted along x, are
/// counted again along the columns of the tile.
template <class Exec, class T, int Pad, int Unroll>
struct Tile {
  Rows<T const> A;
  Rows<T> out;
  Grid grid;

  /// Elements of a tile in scratch.
  static Index scratch(Block const& block) {
    return static_cast<Index>(block.y) * (Unroll * block.x + Pad);
  }

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    Place const place = place_of(member, grid);
    Block const block = grid.block;
    int const width = Unroll * block.x;
    int const pitch = width + Pad;
    Index const row = place.y * block.y;
    Index const col = place.x * width;
    T* const sA = tessera::detail::team_scratch<T>(
        member, 0, static_cast<Index>(block.y) * pitch);  // (block.y, pitch)
    for_each_thread(member, block, [&](int const x, int const y) {
      for (int k = 0; k < Unroll; ++k) {
        int const j = x + k * block.x;
        if (A.has(row + y, col + j)) sA[y * pitch + j] = A(row + y, col + j);
      }
    });
    member.team_barrier();
    for_each_thread(member, block, [&](int const x, int const y) {
      int const thread = y * block.x + x;
      int const i = thread % block.y;
      for (int k = 0; k < Unroll; ++k) {
        int const j = thread / block.y + k * block.x;
        if (A.has(row + i, col + j)) out(col + j, row + i) = sA[i * pitch + j];
      }
    });
  }
};

/// Checks, and runs the kernel.
template <int Pad, int Unroll, class Exec, class A, class Out>
void run_tile(Exec const& exec, std::string const& variant, A const& a, Out const& out,
              Block const& block) {
  using T = typename Out::value_type;
  using Kernel = Tile<Exec, T, Pad, Unroll>;
  std::string const name = "variants::" + variant;
  require_matrices(name, a, out, false);
  require_block<Exec>(name, block);
  std::size_t const bytes = tessera::detail::scratch_bytes<T>(Kernel::scratch(block));
  require_block<Exec>(name, block, bytes);
  Grid const grid(block, static_cast<Index>(a.extent(1)), static_cast<Index>(a.extent(0)), Unroll);
  for_each_block(exec, name, grid, bytes, Kernel{rows_of<T const>(a), rows_of<T>(out), grid});
}

}  // namespace tessera::variants::detail
