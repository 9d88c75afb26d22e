// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/gemm/detail/common.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::published::gemm {

/// The published team of `naive`.
inline constexpr Team naive_team{32, 32};

namespace detail {

template <class Exec, class T>
struct Naive {
  Product<T> product;
  published::detail::Grid grid;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    auto const place = published::detail::place_of(member.league_rank(), grid);
    published::detail::for_each_thread(member, grid.block, [&](int const x, int const y) {
      Index const i = place.y * grid.block.y + y;
      Index const j = place.x * grid.block.x + x;
      if (i < product.rows && j < product.cols) product.store(i, j, product.sum(i, j));
    });
  }
};

}  // namespace detail

/// C = A·B, one GPU thread per element, in two-dimensional teams
///
/// | argument | shape | |
/// |---|---|---|
/// | exec | | execution space instance that does the work |
/// | A | m x k | in: LayoutRight or LayoutLeft, any leading dimension, m, n, k >= 1 |
/// | B | k x n | in: as A |
/// | C | m x n | out: as A, overwritten |
/// | options | | team |
///
/// Options: teams of R x C threads (published: 32 x 32) each compute R rows and C columns of C. On
/// a host, one thread processes all elements of its team, so every team is valid there.
///
/// Teaches what thousands of threads gain without further effort: neighbours in a team read the
/// same row of A and neighbouring columns of B, and only caches exploit it.
///
/// Work and traffic: 2mnk flop; 2mnk scalars loaded through the caches.
///
/// Guarantees: asynchronous in `exec`; no fence and no allocation. Reproducible: each C(i, j) is
/// one chain of fma in order of k, so the bits of all variants are equal, for every team. Throws
/// std::invalid_argument for sizes that do not fit, overlap, teams of 0 or of more than 1024
/// threads, a tile, or more teams than a launch can have.
///
/// Source: the first of two GPU kernels in "Matrix multiplication, the hello world of parallel
/// programming", a web article; there for square matrices.
template <ExecutionSpace Exec, MatrixOf<Exec> A, FactorOf<Exec, A> B, OutputMatrixOf<Exec, A> C>
void naive(Exec const& exec, A const& a, B const& b, C const& c, Options const& options = {}) {
  using T = typename C::value_type;
  constexpr auto name = "published::gemm::naive";
  Team const team = detail::team_of(name, options, naive_team);
  if (options.tile != 0) checks::fail(name, "this variant has no tile: leave it alone");
  auto const product = detail::product_of(name, a, b, c);
  auto const grid = detail::grid_of<C>(product, team);
  published::detail::for_each_block(exec, name, grid, 0, detail::Naive<Exec, T>{product, grid});
}

}  // namespace tessera::published::gemm
