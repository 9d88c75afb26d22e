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

}  // namespace tessera::published::gemm
