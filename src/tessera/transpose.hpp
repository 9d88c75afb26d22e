// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/accelerated/transpose.hpp>
#include <tessera/backends/backends.hpp>
#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/kernels.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/kernels/transpose.hpp>
#include <tessera/options.hpp>

namespace tessera {
namespace detail {

template <class Exec, class T>
void call_transpose(Exec const& exec, MatrixArgument<T const> const& a, MatrixArgument<T> const& at,
                    TransposeOptions const& options) {
  constexpr auto operation = "transpose";
  checks::require_matrix(operation, a);
  checks::require_extents(operation, "At", at, a.extent(1), a.extent(0));
  checks::require_memory(operation, "At", at);
  checks::require_distinct(operation, "At", at);
  checks::require_apart(operation, "At", at, "A", a);
  if (options.tuning) checks::require_valid(*options.tuning);
  Kernels const used = kernels_used<Exec>(options.kernels);
  static std::string const label = "tessera::transpose";
  auto const region = region_of(operation, a);
  if (a.extent(0) == 0 || a.extent(1) == 0) return;

  auto const elements = elements_of(a, at);
  if (used == Kernels::portable) {
    return kernels::transpose_elements(exec, label, elements,
                                       options.tuning.value_or(kernels::transpose_tuning<Exec>()));
  }
  if constexpr (backends::IsAccelerated<Exec>) {
    using Backend = backends::Backend<Exec>;
    TransposeTuning const tuning =
        options.tuning ? *options.tuning : Backend::transpose_tuning(exec, shape_of(elements));
    accelerated_transpose(exec, label, elements, tuning);
  }
}

template <class Exec, class T>
void call_transpose_in_place(Exec const& exec, MatrixArgument<T> const& a,
                             TransposeInPlaceOptions const& options) {
  constexpr auto operation = "transpose_in_place";
  checks::require_matrix(operation, a);
  checks::require_square(operation, a);
  checks::require_distinct(operation, "A", a);
  Kernels const used = kernels_used<Exec>(options.kernels);
  static std::string const label = "tessera::transpose_in_place";
  auto const region = region_of(operation, a);
  if (a.extent(0) == 0) return;

  auto const size = static_cast<Index>(a.extent(0));
  // Lines may be rows or columns: both exchange the same elements.
  auto const row = static_cast<Index>(Kokkos::max(a.stride(0), a.stride(1)));
  auto const col = static_cast<Index>(Kokkos::min(a.stride(0), a.stride(1)));
  if (used == Kernels::portable) {
    return kernels::transpose_square(exec, label, a.data(), size, row, col);
  }
  if constexpr (backends::IsAccelerated<Exec>) {
    accelerated_transpose(exec, label, Square{a.data(), size, row, col});
  }
}

}  // namespace detail

/// At = Aᵀ
///
/// | argument | shape | |
/// |---|---|---|
/// | A | m x n | in: any layout, any leading dimension |
/// | At | n x m | out: any layout, overwritten; its elements are distinct |
///
/// Elements of 1, 2, 4, 8 or 16 bytes are copied bitwise, without flop; 2mn·sizeof(T) bytes.
/// Guarantees and errors as `atax`; never allocates.
///
/// Source: Ruetsch and Micikevicius, Optimizing Matrix Transpose in CUDA, NVIDIA 2009.
///
/// ```cpp
/// Kokkos::View<int**, Kokkos::LayoutRight> A("A", 100, 40), At("At", 40, 100);
/// tessera::transpose(Kokkos::DefaultExecutionSpace(), A, At);
/// ```
template <ExecutionSpace Exec, ElementMatrixOf<Exec> A, TransposeOf<Exec, A> At>
void transpose(Exec const& exec, A const& a, At const& at, TransposeOptions const& options = {}) {
  detail::call_transpose(exec, detail::matrix_in(a), detail::matrix_out(at), options);
}

/// A = Aᵀ, in place
///
/// | argument | shape | |
/// |---|---|---|
/// | A | n x n | in and out: any layout, any leading dimension; its elements are distinct |
///
/// As `transpose`.
///
/// ```cpp
/// Kokkos::View<int**, Kokkos::LayoutRight> A("A", 100, 100);
/// tessera::transpose_in_place(Kokkos::DefaultExecutionSpace(), A);
/// ```
template <ExecutionSpace Exec, OutputElementMatrixOf<Exec> A>
void transpose_in_place(Exec const& exec, A const& a, TransposeInPlaceOptions const& options = {}) {
  detail::call_transpose_in_place(exec, detail::matrix_out(a), options);
}

template <ExecutionSpace Exec, ForeignElements A, class... Arguments>
refused::TesseraMovesTriviallyCopyableElementsOf1Or2Or4Or8Or16BytesOnly transpose(
    Exec const&, A const&, Arguments const&...) = delete;
template <ExecutionSpace Exec, ForeignElements A, class... Arguments>
refused::TesseraMovesTriviallyCopyableElementsOf1Or2Or4Or8Or16BytesOnly transpose_in_place(
    Exec const&, A const&, Arguments const&...) = delete;

}  // namespace tessera

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_TRANSPOSE(TEMPLATE, EXEC, T)                                       \
  namespace tessera::detail {                                                      \
  TEMPLATE void call_transpose(EXEC const&, MatrixArgument<T const> const&,        \
                               MatrixArgument<T> const&, TransposeOptions const&); \
  TEMPLATE void call_transpose_in_place(EXEC const&, MatrixArgument<T> const&,     \
                                        TransposeInPlaceOptions const&);           \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_TRANSPOSE)
