// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/gemm/detail/common.hpp>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/platform/arithmetic.hpp>

namespace tessera::published::gemm {

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

/// C = A·B by one thread of the host: three loops
///
/// | argument | shape | |
/// |---|---|---|
/// | exec | | execution space instance that does the work |
/// | A | m x k | in: LayoutRight or LayoutLeft, any leading dimension, m, n, k >= 1 |
/// | B | k x n | in: as A |
/// | C | m x n | out: as A, overwritten |
/// | options | | neither team nor tile |
///
/// Only for host execution spaces, because the published program used one host thread. It is not in
/// the table of a GPU.
///
/// Teaches the baseline: each multiplication waits for the addition before it, and a column of B is
/// read again for every row of A.
///
/// Work and traffic: 2mnk flop; 2mnk scalars if caches hold neither A nor B.
///
/// Guarantees: asynchronous in `exec`; no fence and no allocation. Reproducible: each C(i, j) is
/// one chain of fma in order of k, so the bits of all variants are equal. Throws
/// std::invalid_argument for sizes that do not fit, overlap, a team or a tile.
///
/// Source: "serial", one of four products in "Matrix multiplication, the hello world of parallel
/// programming", a web article; there for square matrices.
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

}  // namespace tessera::published::gemm
