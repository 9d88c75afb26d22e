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
