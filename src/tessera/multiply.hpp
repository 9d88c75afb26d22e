// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/detail/arguments.hpp>

namespace tessera {

/// B = A·v
///
/// | argument | shape | |
/// |---|---|---|
/// | exec | | execution space instance that does the work |
/// | A | m x n | in: LayoutRight or LayoutLeft, any leading dimension, m, n >= 1 |
/// | v | n | in: any stride |
/// | B | m | out: any stride, overwritten |
/// | options | | workspace and tuning |
///
/// Work and traffic: 2mn flop; (mn + m + n)·sizeof(T) bytes, the matrix read once.
///
/// Guarantees: asynchronous in `exec`; no fence, and no allocation with a kept workspace that is
/// large enough. The bits of B are a function of A, v and A's layout alone (docs/summation.md).
/// B must not overlap A or v. Throws std::invalid_argument for sizes that do not fit, overlap, or
/// an unusable tuning, before any work is enqueued.
///
/// Source: dot products with independent lanes and an adjacent-pair tree (docs/summation.md).
template <ExecutionSpace Exec, MatrixOf<Exec> A, VectorOf<Exec, A> V, OutputVectorOf<Exec, A> B>
void multiply(Exec const& exec, A const& a, V const& v, B const& b,
              Options<Exec> const& options = {}) {
  using T = typename A::non_const_value_type;
  constexpr auto operation = "multiply";
  checks::require_elements(operation, a);
  checks::require_extent(operation, "v", v, a.extent(1));
  checks::require_extent(operation, "B", b, a.extent(0));
  checks::require_apart(operation, "B", b, "A", a);
  checks::require_apart(operation, "B", b, "v", v);

  auto const lines = detail::lines_of(a);
  constexpr bool row_major = detail::is_row_major<A>;
  auto const rows = static_cast<Index>(a.extent(0));
  auto const cols = static_cast<Index>(a.extent(1));
  Tuning const tuning = detail::tuning_for<T, row_major>(exec, rows, cols, options.tuning);
  if constexpr (row_major) {
    detail::run_dot(exec, "tessera::multiply", lines, v, detail::output(b), options, tuning);
  } else {
    detail::run_sum(exec, "tessera::multiply", lines, v, detail::output(b), options, tuning);
  }
}

}  // namespace tessera
