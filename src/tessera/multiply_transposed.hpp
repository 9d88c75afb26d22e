// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/detail/arguments.hpp>
#include <tessera/kernels/label.hpp>

namespace tessera {

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
  using T = typename A::non_const_value_type;
  constexpr auto operation = "multiply_transposed";
  checks::require_matrix(operation, a);
  checks::require_input(operation, "B", b, a.extent(0));
  checks::require_output(operation, "C", c, a.extent(1));
  checks::require_apart(operation, "C", c, "A", a);
  checks::require_apart(operation, "C", c, "B", b);

  static detail::Label const label("tessera::multiply_transposed");
  auto const region = detail::region_of(operation, a);
  auto const rows = static_cast<Index>(a.extent(0));
  auto const cols = static_cast<Index>(a.extent(1));
  auto const out = detail::output(c);
  if (rows == 0 || cols == 0) {
    return detail::set_zero<T>(exec, label.zero, cols, out);
  }
  detail::with_order(operation, "A", a, [&](auto by_rows) {
    constexpr bool row_major = by_rows();
    auto const lines = detail::lines_of<row_major>(a);
    detail::with_kernels<Exec>(options.kernels, [&]<class Set>(Set) {
      Tuning const tuning = detail::tuning_for<T, row_major, Set>(exec, rows, cols, options.tuning);
      if constexpr (row_major) {
        detail::run_sum<Set>(exec, label, lines, b, out, options, tuning);
      } else {
        detail::run_dot<Set>(exec, label, lines, b, out, options, tuning);
      }
    });
  });
}

template <ExecutionSpace Exec, ForeignScalars A, class... Arguments>
refused::TesseraComputesWithFloatAndDoubleOnly multiply_transposed(Exec const&, A const&,
                                                                   Arguments const&...) = delete;

}  // namespace tessera
