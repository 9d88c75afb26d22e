// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/concepts.hpp>
#include <tessera/detail/product.hpp>
#include <tessera/options.hpp>

namespace tessera {

/// C = Aᵀ·B, without storing the transpose
///
/// | argument | shape | |
/// |---|---|---|
/// | A | m x n | in: as `atax` |
/// | B | m | in: any stride |
/// | C | n | out: any stride but 0, overwritten |
///
/// Work and traffic: 2mn flop; (mn + m + n)·sizeof(T) bytes.
///
/// Guarantees and errors as `atax`. Without rows, C = 0.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// Kokkos::View<double*> B("B", 1000), C("C", 30);
/// tessera::multiply_transposed(Kokkos::DefaultExecutionSpace(), A, B, C);
/// ```
template <ExecutionSpace Exec, MatrixOf<Exec> A, VectorOf<Exec, A> B, OutputVectorOf<Exec, A> C>
void multiply_transposed(Exec const& exec, A const& a, B const& b, C const& c,
                         std::type_identity_t<Options<Exec>> const& options = {}) {
  detail::call_product(exec, detail::transposed_product, detail::matrix_in(a), detail::vector_in(b),
                       detail::vector_out(c), options);
}

/// C = Aᵀ·B, B a block of k vectors
///
/// B is m x k, C n x k, of any layout. Column j has the bits of a call with B's column j. Columns
/// share reads of A as in `atax`.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// Kokkos::View<double**, Kokkos::LayoutRight> B("B", 1000, 8), C("C", 30, 8);
/// tessera::multiply_transposed(Kokkos::DefaultExecutionSpace(), A, B, C);
/// ```
template <ExecutionSpace Exec, MatrixOf<Exec> A, FactorOf<Exec, A> In, OutputMatrixOf<Exec, A> Out>
void multiply_transposed(Exec const& exec, A const& a, In const& b, Out const& c,
                         std::type_identity_t<Options<Exec>> const& options = {}) {
  using T = typename A::non_const_value_type;
  detail::call_product<Exec, T>(exec, detail::transposed_product, detail::matrix_in(a),
                                detail::matrix_in(b), detail::matrix_out(c), options);
}

/// C = Aᵀ·B of a narrow matrix
///
/// A is m x n, of a NarrowMatrix's element types, and of any layout as in `atax`. The result has
/// the bits of the same call with A widened to the scalars of B; A is read as stored: mn bytes, or
/// 2mn. GPUs have accelerated kernels for vectors
/// and the lines named in docs/guide/narrow.md.
/// @throws std::invalid_argument as above, and for `Kernels::accelerated` with other lines on a GPU
///
/// ```cpp
/// Kokkos::View<std::int8_t**, Kokkos::LayoutRight> A("A", 1000, 30);
/// Kokkos::View<float*> B("B", 1000), C("C", 30);
/// tessera::multiply_transposed(Kokkos::DefaultExecutionSpace(), A, B, C);
/// ```
template <ExecutionSpace Exec, NarrowMatrixOf<Exec> Narrow, InputVectorOf<Exec> B,
          OutputVectorOf<Exec, B> C>
void multiply_transposed(Exec const& exec, Narrow const& a, B const& b, C const& c,
                         std::type_identity_t<Options<Exec>> const& options = {}) {
  using T = typename B::non_const_value_type;
  detail::call_product<Exec, T>(exec, detail::transposed_product, detail::narrow_in<T>(a),
                                detail::vector_in(b), detail::vector_out(c), options);
}

/// C = Aᵀ·B of a narrow matrix and a block of k vectors.
template <ExecutionSpace Exec, NarrowMatrixOf<Exec> Narrow, MatrixOf<Exec> In,
          OutputMatrixOf<Exec, In> Out>
void multiply_transposed(Exec const& exec, Narrow const& a, In const& b, Out const& c,
                         std::type_identity_t<Options<Exec>> const& options = {}) {
  using T = typename In::non_const_value_type;
  detail::call_product<Exec, T>(exec, detail::transposed_product, detail::narrow_in<T>(a),
                                detail::matrix_in(b), detail::matrix_out(c), options);
}

template <ExecutionSpace Exec, ForeignStorage A, class... Arguments>
refused::TesseraReadsFloatDoubleAndNarrowMatricesOnly multiply_transposed(
    Exec const&, A const&, Arguments const&...) = delete;

}  // namespace tessera
