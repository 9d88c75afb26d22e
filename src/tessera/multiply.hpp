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

/// B = A·v of a narrow matrix
///
/// A is m x n, of a NarrowMatrix's element types, and of any layout as in `atax`. The result has
/// the bits of the same call with A widened to the scalars of v; A is read as stored: mn bytes, or
/// 2mn. GPUs have accelerated kernels for vectors
/// and the lines named in docs/guide/narrow.md.
/// @throws std::invalid_argument as above, and for `Kernels::accelerated` with other lines on a GPU
///
/// ```cpp
/// Kokkos::View<std::int8_t**, Kokkos::LayoutRight> A("A", 1000, 30);
/// Kokkos::View<float*> v("v", 30), B("B", 1000);
/// tessera::multiply(Kokkos::DefaultExecutionSpace(), A, v, B);
/// ```
template <ExecutionSpace Exec, NarrowMatrixOf<Exec> Narrow, InputVectorOf<Exec> V,
          OutputVectorOf<Exec, V> B>
void multiply(Exec const& exec, Narrow const& a, V const& v, B const& b,
              std::type_identity_t<Options<Exec>> const& options = {}) {
  using T = typename V::non_const_value_type;
  detail::call_product<Exec, T>(exec, detail::plain_product, detail::narrow_in<T>(a),
                                detail::vector_in(v), detail::vector_out(b), options);
}

/// B = A·V of a narrow matrix and a block of k vectors.
template <ExecutionSpace Exec, NarrowMatrixOf<Exec> Narrow, MatrixOf<Exec> In,
          OutputMatrixOf<Exec, In> Out>
void multiply(Exec const& exec, Narrow const& a, In const& v, Out const& b,
              std::type_identity_t<Options<Exec>> const& options = {}) {
  using T = typename In::non_const_value_type;
  detail::call_product<Exec, T>(exec, detail::plain_product, detail::narrow_in<T>(a),
                                detail::matrix_in(v), detail::matrix_out(b), options);
}

template <ExecutionSpace Exec, ForeignStorage A, class... Arguments>
refused::TesseraReadsFloatDoubleAndNarrowMatricesOnly multiply(Exec const&, A const&,
                                                               Arguments const&...) = delete;

}  // namespace tessera
