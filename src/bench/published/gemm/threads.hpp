// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/gemm/detail/common.hpp>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/platform/arithmetic.hpp>

namespace tessera::published::gemm {

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

/// C = A·B by a pool of threads: one task per element
///
/// | argument | shape | |
/// |---|---|---|
/// | exec | | execution space instance that does the work |
/// | A | m x k | in: LayoutRight or LayoutLeft, any leading dimension, m, n, k >= 1 |
/// | B | k x n | in: as A |
/// | C | m x n | out: as A, overwritten |
/// | options | | neither team nor tile |
///
/// The pool is the execution space. On a host each thread takes the next element when it is free.
/// On a GPU each element has a thread, in blocks that Kokkos chooses.
///
/// Teaches that threads only divide the time: loads and chains are the same as in `serial`, and
/// taking a task costs about as much as a short sum.
///
/// Work and traffic: 2mnk flop; 2mnk scalars if caches hold neither A nor B.
///
/// Guarantees: asynchronous in `exec`; no fence and no allocation. Reproducible: each C(i, j) is
/// one chain of fma in order of k, so the bits of all variants are equal, for any number of
/// threads. Throws std::invalid_argument for sizes that do not fit, overlap, a team or a tile.
///
/// Source: "thread pool", one of four products in "Matrix multiplication, the hello world of
/// parallel programming", a web article; there for square matrices.
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
