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
/// | A | m x n | in: as `atax` |
/// | v | n | in: any stride |
/// | B | m | out: any stride but 0, overwritten |
///
/// Work and traffic: 2mn flop; (mn + m + n)·sizeof(T) bytes.
///
/// Guarantees and errors as `atax`. Without columns, B = 0.
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
/// V is n x k, B m x k, of any layout. Column j has the bits of a call with V's column j. Columns
/// share reads of A as in `atax`.
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
