// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/gemm/detail/common.hpp>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/platform/arithmetic.hpp>

namespace tessera::published::gemm {

inline constexpr TeamShape naive_team{32, 32};

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

/// C = A·B, one GPU thread per element, in two-dimensional teams.
///
/// A: m x k, B: k x n, C: m x n, LayoutRight or LayoutLeft. Teams of R x C threads (published: 32 x
/// 32) compute R rows and C columns. Asynchronous, no fence, no allocation. Each C(i, j) is one
/// chain of fma in order of k, so all variants have equal bits.
///
/// @throws std::invalid_argument for sizes, overlap, teams and tiles that do not fit
///
/// Source: the first of two GPU kernels in "Matrix multiplication, the hello world of parallel
/// programming", a web article, for square matrices.
template <ExecutionSpace Exec, MatrixOf<Exec> A, FactorOf<Exec, A> B, OutputMatrixOf<Exec, A> C>
void naive(Exec const& exec, A const& a, B const& b, C const& c, Options const& options = {}) {
  using T = typename C::value_type;
  constexpr auto name = "published::gemm::naive";
  TeamShape const team = detail::team_of(name, options, naive_team);
  if (options.tile != 0) checks::fail(name, "this variant has no tile: leave it alone");
  auto const product = detail::product_of(name, a, b, c);
  auto const grid = detail::grid_of<C>(product, team);
  published::detail::for_each_block(exec, name, grid, 0, detail::Naive<Exec, T>{product, grid});
}

namespace detail {

template <class T>
struct Serial {
  Product<T> product;

  KOKKOS_FUNCTION void operator()(Index /*the only one*/) const {
    backends::host::OrdinaryArithmetic const mode;
    for (Index i = 0; i < product.rows; ++i) {
      for (Index j = 0; j < product.cols; ++j) product.store(i, j, product.sum(i, j));
    }
  }
};

}  // namespace detail

/// C = A·B by one host thread in three loops: the baseline.
///
/// As `naive` without team and tile; not on GPUs.
///
/// Source: "serial" in the article of `naive`.
template <ExecutionSpace Exec, MatrixOf<Exec> A, FactorOf<Exec, A> B, OutputMatrixOf<Exec, A> C>
  requires(!backends::Backend<Exec>::is_gpu)
void serial(Exec const& exec, A const& a, B const& b, C const& c, Options const& options = {}) {
  constexpr auto name = "published::gemm::serial";
  detail::require_plain(name, options);
  auto const product = detail::product_of(name, a, b, c);
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
  Kokkos::parallel_for(std::string("tessera::") + name, Policy(exec, 0, 1),
                       detail::Serial<typename C::value_type>{product});
}

namespace detail {

template <class T>
struct Threads {
  Product<T> product;

  KOKKOS_FUNCTION void operator()(Index const element) const {
    backends::host::OrdinaryArithmetic const mode;
    Index const i = element / product.cols;
    Index const j = element % product.cols;
    product.store(i, j, product.sum(i, j));
  }
};

}  // namespace detail

/// C = A·B by a pool of threads, one task per element.
///
/// As `naive` without team and tile. On a GPU there is one thread per element.
///
/// Source: "thread pool" in the article of `naive`.
template <ExecutionSpace Exec, MatrixOf<Exec> A, FactorOf<Exec, A> B, OutputMatrixOf<Exec, A> C>
void threads(Exec const& exec, A const& a, B const& b, C const& c, Options const& options = {}) {
  constexpr auto name = "published::gemm::threads";
  detail::require_plain(name, options);
  auto const product = detail::product_of(name, a, b, c);
  using Policy =
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>, Kokkos::Schedule<Kokkos::Dynamic>>;
  Policy policy(exec, 0, product.rows * product.cols);
  policy.set_chunk_size(1);
  Kokkos::parallel_for(std::string("tessera::") + name, policy,
                       detail::Threads<typename C::value_type>{product});
}

}  // namespace tessera::published::gemm
