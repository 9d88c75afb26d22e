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
/// | v | n, or n x k | in: any stride; a block of k vectors of any layout |
/// | B | m, or m x k | out: any stride but 0, overwritten; of a block of any layout |
///
/// Work and traffic: 2mn flop; (mn + m + n)·sizeof(T) bytes.
///
/// Guarantees and errors as `atax`. A narrow A is read as stored: mn bytes, or 2mn. Without
/// columns, B = 0. Column j of a block has the bits of a call with its column j. Columns share
/// reads of A as in `atax`.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// Kokkos::View<double*> v("v", 30), B("B", 1000);
/// tessera::multiply(Kokkos::DefaultExecutionSpace(), A, v, B);
/// Kokkos::View<double**, Kokkos::LayoutRight> V("V", 30, 8), BV("BV", 1000, 8);
/// tessera::multiply(Kokkos::DefaultExecutionSpace(), A, V, BV);
/// ```
template <ExecutionSpace Exec, StoredMatrixOf<Exec> A, InputOf<Exec, A> V, OutputFor<Exec, V> B>
void multiply(Exec const& exec, A const& a, V const& v, B const& b,
              std::type_identity_t<Options<Exec>> const& options = {}) {
  using T = typename V::non_const_value_type;
  detail::call_product<Exec, T>(exec, detail::plain_product, detail::stored_in<T>(a),
                                detail::input_of(v), detail::output_of(b), options);
}

template <ExecutionSpace Exec, ForeignStorage A, class... Arguments>
refused::TesseraReadsFloatDoubleAndNarrowMatricesOnly multiply(Exec const&, A const&,
                                                               Arguments const&...) = delete;

}  // namespace tessera
