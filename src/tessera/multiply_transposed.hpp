// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/detail/arguments.hpp>
#include <tessera/kernels/label.hpp>

namespace tessera {
namespace detail {

template <class Exec, class T>
void call_multiply_transposed(Exec const& exec, MatrixArgument<T const> const& a,
                   VectorArgument<T const> const& b, VectorArgument<T> const& c,
                   Options<Exec> const& options) {
  constexpr auto operation = "multiply_transposed";
  checks::require_matrix(operation, a);
  checks::require_input(operation, "B", b, a.extent(0));
  checks::require_output(operation, "C", c, a.extent(1));
  checks::require_apart(operation, "C", c, "A", a);
  checks::require_apart(operation, "C", c, "B", b);
  static Label const label("tessera::multiply_transposed");
  run_product(exec, operation, label, false, a, b, c, options);
}

}  // namespace detail

/// C = Aᵀ·B; the transpose is never stored
///
/// | argument | shape | |
/// |---|---|---|
/// | exec | | execution space instance that does the work |
/// | A | m x n | in: rows or columns contiguous, any leading dimension |
/// | B | m | in: any stride |
/// | C | n | out: any stride but 0, overwritten |
/// | options | | workspace, tuning and kernels |
///
/// Work and traffic: 2mn flop; (mn + m + n)·sizeof(T) bytes, the matrix read once.
///
/// Guarantees: asynchronous in `exec`; no fence, and no allocation with a kept workspace that is
/// large enough. The bits of C are a function of A, B and A's layout alone (docs/summation.md).
/// Where A has no rows, C = 0. C must not overlap A or B. Throws std::invalid_argument for sizes
/// that do not fit, a view without memory, overlap, an unusable tuning, or a workspace in use,
/// before any work is enqueued. A in LayoutStride: as `atax`.
///
/// Source: chains over panels of rows and an adjacent-pair tree over panels (docs/summation.md).
template <ExecutionSpace Exec, MatrixOf<Exec> A, VectorOf<Exec, A> B, OutputVectorOf<Exec, A> C>
void multiply_transposed(Exec const& exec, A const& a, B const& b, C const& c,
                         std::type_identity_t<Options<Exec>> const& options = {}) {
  detail::call_multiply_transposed(exec, detail::matrix_in(a), detail::vector_in(b), detail::vector_out(c),
                 options);
}

template <ExecutionSpace Exec, ForeignScalars A, class... Arguments>
refused::TesseraComputesWithFloatAndDoubleOnly multiply_transposed(Exec const&, A const&,
                                                                   Arguments const&...) = delete;

}  // namespace tessera

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_MULTIPLY_TRANSPOSED(TEMPLATE, EXEC, T) \
  namespace tessera::detail { \
  TEMPLATE void call_multiply_transposed(EXEC const&, MatrixArgument<T const> const&, VectorArgument<T const> const&, VectorArgument<T> const&, Options<EXEC> const&); \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_MULTIPLY_TRANSPOSED)
