// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bench/published/gemm/detail/common.hpp>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/host/launch.hpp>

namespace tessera::published::gemm {

inline constexpr TeamShape tiled_team{32, 32};

constexpr Index tiled_tile(TeamShape team) {
  return std::min(team.rows, team.cols);
}

namespace detail {

/// Per `depth` of k: copies to scratch, then each thread adds to its element.
template <class Exec, class T>
struct Tiled {
  Product<T> product;
  published::detail::Grid grid;
  int depth;

  /// Otherwise one thread has all sums in scratch.
  static constexpr bool own_thread = backends::Backend<Exec>::is_gpu;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION static Index scratch(Block block, Index depth) {
    return (block.x + block.y) * depth + (own_thread ? 0 : Index{block.x} * block.y);
  }

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    Block const block = grid.block;
    auto const place = published::detail::place_of(member.league_rank(), grid);
    Index const row = place.y * block.y;
    Index const col = place.x * block.x;
    int const rows = static_cast<int>(Kokkos::min(Index{block.y}, product.rows - row));
    int const cols = static_cast<int>(Kokkos::min(Index{block.x}, product.cols - col));
    T* const sA = tessera::detail::team_scratch<T>(member, 0, scratch(block, depth));  // (y, depth)
    T* const sB = sA + block.y * depth;                                                // (depth, x)
    T rC = T(0);
    T* const sC = own_thread ? &rC : sB + depth * block.x;  // (y, x), or the thread's
    if constexpr (!own_thread) {
      for (int thread = 0; thread < block.x * block.y; ++thread) sC[thread] = T(0);
    }
    for (Index first = 0; first < product.inner; first += depth) {
      int const here = static_cast<int>(Kokkos::min(Index{depth}, product.inner - first));
      copy(member, product.A, row, first, rows, here, sA, depth);
      copy(member, product.B, first, col, here, cols, sB, block.x);
      member.team_barrier();
      published::detail::for_each_thread(member, block, [&](int const x, int const y) {
        if (y >= rows || x >= cols) return;
        T sum = sC[own_thread ? 0 : y * block.x + x];
        for (int k = 0; k < here; ++k) {
          sum = Kokkos::fma(sA[y * depth + k], sB[k * block.x + x], sum);
        }
        sC[own_thread ? 0 : y * block.x + x] = sum;
      });
      member.team_barrier();
    }
    published::detail::for_each_thread(member, block, [&](int const x, int const y) {
      if (y >= rows || x >= cols) return;
      product.store(row + y, col + x, sC[own_thread ? 0 : y * block.x + x]);
    });
  }

  /// sX(i, j) = X(row + i, col + j).
  KOKKOS_INLINE_FUNCTION void copy(Member<Exec> const& member, Elements<T const> const& X,
                                   Index row, Index col, int rows, int cols, T* sX,
                                   int pitch) const {
    Block const block = grid.block;
    published::detail::for_each_thread(member, block, [&](int const x, int const y) {
      if (X.column == 1) {
        for (int i = y; i < rows; i += block.y) {
          for (int j = x; j < cols; j += block.x) sX[i * pitch + j] = X(row + i, col + j);
        }
      } else {
        for (int j = y; j < cols; j += block.y) {
          for (int i = x; i < rows; i += block.x) sX[i * pitch + j] = X(row + i, col + j);
        }
      }
    });
  }
};

}  // namespace detail

/// C = A·B with tiles of A and B in scratch.
///
/// As `naive`; a tile beyond the scratch throws. Published `tile`: 32, here the smaller side of
/// the team.
///
/// Source: the second of two GPU kernels in the article of `naive`, after the CUDA C++ Programming
/// Guide, for multiples of 32.
template <ExecutionSpace Exec, MatrixOf<Exec> A, FactorOf<Exec, A> B, OutputMatrixOf<Exec, A> C>
void tiled(Exec const& exec, A const& a, B const& b, C const& c, Options const& options = {}) {
  using T = typename C::value_type;
  using Kernel = detail::Tiled<Exec, T>;
  constexpr auto name = "published::gemm::tiled";
  TeamShape const team = detail::team_of(name, options, tiled_team);
  published::detail::require_tile(name, options.tile);
  Index const depth = options.tile > 0 ? options.tile : tiled_tile(team);
  auto const product = detail::product_of(name, a, b, c);
  auto const grid = detail::grid_of<C>(product, team);
  Index const scalars = Kernel::scratch(grid.block, depth);
  published::detail::require_scratch<T, Exec>(name, scalars);
  published::detail::for_each_block(exec, name, grid, tessera::detail::scratch_bytes<T>(scalars),
                                    Kernel{product, grid, static_cast<int>(depth)});
}

}  // namespace tessera::published::gemm
