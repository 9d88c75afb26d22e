// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/concepts.hpp>
#include <tessera/detail/product.hpp>
#include <tessera/options.hpp>

namespace tessera {

/// B = A·v
///
/// | argument | shape | |
/// |---|---|---|
/// | exec | | execution space instance that does the work |
/// | A | m x n | in: rows or columns contiguous, any leading dimension |
/// | v | n | in: any stride |
/// | B | m | out: any stride but 0, overwritten |
/// | options | | workspace, tuning and kernels |
///
/// Work and traffic: 2mn flop; (mn + m + n)·sizeof(T) bytes.
///
/// Guarantees, errors and LayoutStride as `atax`. The bits of B depend on A, v and A's layout
/// alone. If A has no columns, B = 0. B must not overlap A or v.
///
/// Source: dot products with independent lanes and an adjacent-pair tree (docs/summation.md).
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// Kokkos::View<double*> v("v", 30), B("B", 1000);
/// tessera::multiply(Kokkos::DefaultExecutionSpace(), A, v, B);
/// ```
template <ExecutionSpace Exec, MatrixOf<Exec> A, VectorOf<Exec, A> V, OutputVectorOf<Exec, A> B>
void multiply(Exec const& exec, A const& a, V const& v, B const& b,
              std::type_identity_t<Options<Exec>> const& options = {}) {
  detail::call_product(exec, detail::plain_product, detail::matrix_in(a), detail::vector_in(v),
                       detail::vector_out(b), options);
}

/// B = A·V, V a block of k vectors
///
/// As `multiply` of a vector, V n x k and B m x k, each in LayoutRight, LayoutLeft or LayoutStride.
/// Column j has the bits of the call with V's column j. Up to 32 columns share a read of A; up to
/// eight with portable kernels.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// Kokkos::View<double**, Kokkos::LayoutRight> V("V", 30, 8), B("B", 1000, 8);
/// tessera::multiply(Kokkos::DefaultExecutionSpace(), A, V, B);
/// ```
template <ExecutionSpace Exec, MatrixOf<Exec> A, FactorOf<Exec, A> In, OutputMatrixOf<Exec, A> Out>
void multiply(Exec const& exec, A const& a, In const& v, Out const& b,
              std::type_identity_t<Options<Exec>> const& options = {}) {
  using T = typename A::non_const_value_type;
  detail::call_product<Exec, T>(exec, detail::plain_product, detail::matrix_in(a),
                                detail::matrix_in(v), detail::matrix_out(b), options);
}

template <ExecutionSpace Exec, ForeignScalars A, class... Arguments>
refused::TesseraComputesWithFloatAndDoubleOnly multiply(Exec const&, A const&,
                                                        Arguments const&...) = delete;

}  // namespace tessera
