// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/transpose/block.hpp>
#include <string>

#include <Kokkos_Core.hpp>

/// Transposes with a tile in scratch.
///
/// Source of all: chapter 5 of the book in elements.hpp, after the article by Ruetsch and
/// Micikevicius there; for multiples of the block.
namespace tessera::published {
namespace detail {

/// Reads a tile `Unroll` blocks wide along the rows of A, and writes it along the rows of At.
template <class Exec, class T, int Pad, int Unroll>
struct Tile {
  Rows<T const> A;
  Rows<T> out;
  Grid grid;

  static Index scratch(Block const& block) {
    return static_cast<Index>(block.y) * (Unroll * block.x + Pad);
  }

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    Place const place = place_of(member.league_rank(), grid);
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

template <int Pad, int Unroll, class Exec, class A, class Out>
void run_tile(Exec const& exec, std::string const& variant, A const& a, Out const& out,
              Block const& block) {
  using T = typename Out::value_type;
  using Kernel = Tile<Exec, T, Pad, Unroll>;
  std::string const name = "published::" + variant;
  require_matrices(name, a, out, false);
  require_block<Exec>(name, block);
  std::size_t const bytes = tessera::detail::scratch_bytes<T>(Kernel::scratch(block));
  require_block<Exec>(name, block, bytes);
  Grid const grid(block, static_cast<Index>(a.extent(1)), static_cast<Index>(a.extent(0)), Unroll);
  for_each_block(exec, name, grid, bytes, Kernel{rows_of<T const>(a), rows_of<T>(out), grid});
}

}  // namespace detail

/// At = Aᵀ, as move_elements(): the strided access is in scratch, with bank conflicts.
template <ExecutionSpace Exec, RowMajorOf<Exec> A, RowMajorOutputOf<Exec, A> Out>
void tile(Exec const& exec, A const& a, Out const& out, Block const& block) {
  detail::run_tile<0, 1>(exec, "tile", a, out, block);
}

/// As tile(), with padded rows against bank conflicts.
template <ExecutionSpace Exec, RowMajorOf<Exec> A, RowMajorOutputOf<Exec, A> Out>
void tile_padded(Exec const& exec, A const& a, Out const& out, Block const& block) {
  detail::run_tile<1, 1>(exec, "tile-padded", a, out, block);
}

/// As tile_padded(), two blocks wide.
template <ExecutionSpace Exec, RowMajorOf<Exec> A, RowMajorOutputOf<Exec, A> Out>
void tile_unrolled_padded(Exec const& exec, A const& a, Out const& out, Block const& block) {
  detail::run_tile<1, 2>(exec, "tile-unrolled-padded", a, out, block);
}

}  // namespace tessera::published
