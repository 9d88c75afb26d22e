// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bench/published/gemm/detail/common.hpp>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/host/launch.hpp>

namespace tessera::published::gemm {

/// The published team of `tiled`.
inline constexpr Team tiled_team{32, 32};

/// The published tile for a team: square if the team is square.
constexpr Index tiled_tile(Team team) {
  return std::min(team.rows, team.cols);
}

namespace detail {

/// A team loops over k in steps of `depth`: it copies its rows of A and its columns of B to
/// scratch, then each thread adds to its element.
template <class Exec, class T>
struct Tiled {
  Product<T> product;
  published::detail::Grid grid;
  int depth;

  /// True: each thread has one sum in a register. False: one thread has all sums, in scratch.
  static constexpr bool own_thread = backends::Backend<Exec>::is_gpu;

  /// Scalars of a team in scratch.
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
    T* const sC = own_thread ? &rC : sB + depth * block.x;  // (y, x), or the thread's own
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
      member.team_barrier();  // the next tiles overwrite scratch
    }
    published::detail::for_each_thread(member, block, [&](int const x, int const y) {
      if (y >= rows || x >= cols) return;
      product.store(row + y, col + x, sC[own_thread ? 0 : y * block.x + x]);
    });
  }

  /// Copies sX(i, j) = X(row + i, col + j). Neighbouring threads read neighbouring elements.
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

/// C = A·B with tiles of A and B in scratch
///
/// | argument | shape | |
/// |---|---|---|
/// | exec | | execution space instance that does the work |
/// | A | m x k | in: LayoutRight or LayoutLeft, any leading dimension, m, n, k >= 1 |
/// | B | k x n | in: as A |
/// | C | m x n | out: as A, overwritten |
/// | options | | team and tile |
///
/// Options: teams of R x C threads (published: 32 x 32) each compute R rows and C columns of C.
/// `tile` is the number of columns of A and rows of B in scratch (published: 32, here the smaller
/// side of the team). On a host, one thread processes all elements of its team, so every team is
/// valid there.
///
/// Teaches what scratch is for: a scalar of A is loaded once for C threads, and one of B for R. The
/// inner loop still loads two scalars from scratch for each fma, and that is now the limit.
///
/// Work and traffic: 2mnk flop; mnk/C + mnk/R scalars from memory, 2mnk from scratch.
///
/// Guarantees: asynchronous in `exec`; no fence and no allocation. Reproducible: each C(i, j) is
/// one chain of fma in order of k, so the bits of all variants are equal, for every team and tile.
/// Throws std::invalid_argument for sizes that do not fit, overlap, teams of 0 or of more than
/// 1024 threads, tiles beyond the scratch, or more teams than a launch can have.
///
/// Source: the second of two GPU kernels in "Matrix multiplication, the hello world of parallel
/// programming", a web article, after the CUDA C++ Programming Guide; there for square matrices
/// whose sizes are multiples of 32.
template <ExecutionSpace Exec, MatrixOf<Exec> A, FactorOf<Exec, A> B, OutputMatrixOf<Exec, A> C>
void tiled(Exec const& exec, A const& a, B const& b, C const& c, Options const& options = {}) {
  using T = typename C::value_type;
  using Kernel = detail::Tiled<Exec, T>;
  constexpr auto name = "published::gemm::tiled";
  Team const team = detail::team_of(name, options, tiled_team);
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
