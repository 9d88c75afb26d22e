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
void call_multiply(Exec const& exec, MatrixArgument<T const> const& a,
                   VectorArgument<T const> const& v, VectorArgument<T> const& b,
                   Options<Exec> const& options) {
  constexpr auto operation = "multiply";
  checks::require_matrix(operation, a);
  checks::require_input(operation, "v", v, a.extent(1));
  checks::require_output(operation, "B", b, a.extent(0));
  checks::require_apart(operation, "B", b, "A", a);
  checks::require_apart(operation, "B", b, "v", v);
  static Label const label("tessera::multiply");
  run_product(exec, operation, label, true, a, v, b, options);
}

}  // namespace detail

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
/// Work and traffic: 2mn flop; (mn + m + n)·sizeof(T) bytes, the matrix read once.
///
/// Guarantees: asynchronous in `exec`; no fence, and no allocation with a kept workspace that is
/// large enough. The bits of B are a function of A, v and A's layout alone (docs/summation.md).
/// Where A has no columns, B = 0. B must not overlap A or v. Throws std::invalid_argument for sizes
/// that do not fit, a view without memory, overlap, an unusable tuning, or a workspace in use,
/// before any work is enqueued. A in LayoutStride: as `atax`.
///
/// Source: dot products with independent lanes and an adjacent-pair tree (docs/summation.md).
template <ExecutionSpace Exec, MatrixOf<Exec> A, VectorOf<Exec, A> V, OutputVectorOf<Exec, A> B>
void multiply(Exec const& exec, A const& a, V const& v, B const& b,
              std::type_identity_t<Options<Exec>> const& options = {}) {
  detail::call_multiply(exec, detail::matrix_in(a), detail::vector_in(v), detail::vector_out(b),
                 options);
}

template <ExecutionSpace Exec, ForeignScalars A, class... Arguments>
refused::TesseraComputesWithFloatAndDoubleOnly multiply(Exec const&, A const&,
                                                        Arguments const&...) = delete;

}  // namespace tessera

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_MULTIPLY(TEMPLATE, EXEC, T) \
  namespace tessera::detail { \
  TEMPLATE void call_multiply(EXEC const&, MatrixArgument<T const> const&, VectorArgument<T const> const&, VectorArgument<T> const&, Options<EXEC> const&); \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_MULTIPLY)
