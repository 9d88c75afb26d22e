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
/// | B | m, or m x k | in: any stride; a block of k vectors of any layout |
/// | C | n, or n x k | out: any stride but 0, overwritten; of a block of any layout |
///
/// Work and traffic: 2mn flop; (mn + m + n)·sizeof(T) bytes.
///
/// Guarantees and errors as `atax`. A narrow A is read as stored: mn bytes, or 2mn. Without rows,
/// C = 0. Column j of a block has the bits of a call with its column j. Columns share reads of A as
/// in `atax`.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// Kokkos::View<double*> b("b", 1000), C("C", 30);
/// tessera::multiply_transposed(Kokkos::DefaultExecutionSpace(), A, b, C);
/// Kokkos::View<double**, Kokkos::LayoutRight> B("B", 1000, 8), CB("CB", 30, 8);
/// tessera::multiply_transposed(Kokkos::DefaultExecutionSpace(), A, B, CB);
/// ```
template <ExecutionSpace Exec, StoredMatrixOf<Exec> A, InputOf<Exec, A> B, OutputFor<Exec, B> C>
void multiply_transposed(Exec const& exec, A const& a, B const& b, C const& c,
                         std::type_identity_t<Options<Exec>> const& options = {}) {
  using T = typename B::non_const_value_type;
  detail::call_product<Exec, T>(exec, detail::transposed_product, detail::stored_in<T>(a),
                                detail::input_of(b), detail::output_of(c), options);
}

template <ExecutionSpace Exec, ForeignStorage A, class... Arguments>
refused::TesseraReadsFloatDoubleAndNarrowMatricesOnly multiply_transposed(
    Exec const&, A const&, Arguments const&...) = delete;

}  // namespace tessera
