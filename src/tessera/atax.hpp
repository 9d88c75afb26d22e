// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/detail/arguments.hpp>
#include <tessera/detail/fused_lines.hpp>
#include <tessera/detail/fused_tiles.hpp>

namespace tessera {
namespace detail {

/// Stages of ATAX with B in `b` (data null: not wanted).
template <class Exec, class Matrix, class V, class T>
void run_atax(Exec const& exec, Matrix const& a, V const& v, OutputVector<T> b, OutputVector<T> c,
              AtaxOptions<Exec> const& options) {
  constexpr bool row_major = is_row_major<Matrix>;
  auto const lines = lines_of(a);
  auto const rows = static_cast<Index>(a.extent(0));
  auto const cols = static_cast<Index>(a.extent(1));
  Tuning const tuning = tuning_for<T, row_major>(exec, rows, cols, options.tuning);
  bool const fused =
      options.method == Method::automatic ? tuning.prefer_fused : options.method == Method::fused;

  Index const packed = packed_size(v);
  bool const own_b = !fused && (b.data == nullptr || b.stride != 1);
  Index const intermediate = own_b ? rows : 0;
  DotPlan<T> const dots(lines, tuning.dot);
  SumPlan<T> const sums(lines, tuning.sum);
  Index partials = std::max(dots.workspace(lines), sums.workspace(lines));
  if (fused) {
    std::size_t const max_scratch = HostLaunch<Exec>::max_scratch();
    if constexpr (row_major) {
      partials = FusedLinesPlan<T>(lines, tuning.fused_lines, max_scratch).workspace(lines);
    } else {
      partials = FusedTilesPlan<T>(lines, tuning.fused_tiles, max_scratch).workspace(lines);
    }
  }

  WorkspaceOf<Exec> memory(options.workspace);
  T* const workspace = memory.template reserve<T>(exec, packed + intermediate + partials);
  T const* const x = contiguous(exec, "tessera::atax", v, workspace);
  T* const own = workspace + packed;
  T* const rest = own + intermediate;
  if (fused) {
    if constexpr (row_major) {
      fused_lines(exec, "tessera::atax::fused", lines, x, b, c, rest, tuning.fused_lines);
    } else {
      fused_tiles(exec, "tessera::atax::fused", lines, x, b, c, rest, tuning.fused_tiles);
    }
    return;
  }
  OutputVector<T> const first = own_b ? OutputVector<T>{own, 1} : b;
  if constexpr (row_major) {
    dot(exec, "tessera::atax::multiply", lines, x, first, rest, tuning.dot);
    sum(exec, "tessera::atax::multiply_transposed", lines, first.data, c, rest, tuning.sum);
  } else {
    sum(exec, "tessera::atax::multiply", lines, x, first, rest, tuning.sum);
    dot(exec, "tessera::atax::multiply_transposed", lines, first.data, c, rest, tuning.dot);
  }
  if (own_b && b.data != nullptr) {
    using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
    Kokkos::parallel_for(
        "tessera::atax::unpack", Policy(exec, 0, rows),
        KOKKOS_LAMBDA(Index const i) { b.set(i, first.data[i]); });
  }
}

}  // namespace detail

/// C = Aᵀ·(A·v)
///
/// | argument | shape | |
/// |---|---|---|
/// | exec | | execution space instance that does the work |
/// | A | m x n | in: LayoutRight or LayoutLeft, any leading dimension, m, n >= 1 |
/// | v | n | in: any stride |
/// | C | n | out: any stride, overwritten |
/// | options | | method, workspace and tuning |
///
/// Work and traffic: 4mn flop; fused (mn + 2n)·sizeof(T) bytes, the matrix read once; two-stage
/// (2mn + 2m + 2n)·sizeof(T) bytes.
///
/// Guarantees: asynchronous in `exec`; no fence, and no allocation with a kept workspace that is
/// large enough. The bits of C are a function of A, v and A's layout alone: fused and two-stage
/// agree (docs/summation.md). C must not overlap A or v. Throws std::invalid_argument for sizes
/// that do not fit, overlap, or an unusable tuning, before any work is enqueued.
///
/// Source: ATAX of PolyBench; fusion by reading each panel of rows (tile of columns) once, with
/// the order of summation of docs/summation.md.
template <ExecutionSpace Exec, MatrixOf<Exec> A, VectorOf<Exec, A> V, OutputVectorOf<Exec, A> C>
void atax(Exec const& exec, A const& a, V const& v, C const& c,
          AtaxOptions<Exec> const& options = {}) {
  using T = typename A::non_const_value_type;
  constexpr auto operation = "atax";
  checks::require_elements(operation, a);
  checks::require_extent(operation, "v", v, a.extent(1));
  checks::require_extent(operation, "C", c, a.extent(1));
  checks::require_apart(operation, "C", c, "A", a);
  checks::require_apart(operation, "C", c, "v", v);
  detail::run_atax(exec, a, v, detail::OutputVector<T>{nullptr, 1}, detail::output(c), options);
}

/// C = Aᵀ·(A·v), and B = A·v on the way
///
/// As `atax` without B; B has m entries, any stride, is overwritten, and must not overlap A, v or
/// C. Its bits are those of `multiply`. Adds m·sizeof(T) bytes of traffic.
template <ExecutionSpace Exec, MatrixOf<Exec> A, VectorOf<Exec, A> V, OutputVectorOf<Exec, A> B,
          OutputVectorOf<Exec, A> C>
void atax(Exec const& exec, A const& a, V const& v, B const& b, C const& c,
          AtaxOptions<Exec> const& options = {}) {
  constexpr auto operation = "atax";
  checks::require_elements(operation, a);
  checks::require_extent(operation, "v", v, a.extent(1));
  checks::require_extent(operation, "B", b, a.extent(0));
  checks::require_extent(operation, "C", c, a.extent(1));
  checks::require_apart(operation, "B", b, "A", a);
  checks::require_apart(operation, "B", b, "v", v);
  checks::require_apart(operation, "C", c, "A", a);
  checks::require_apart(operation, "C", c, "v", v);
  checks::require_apart(operation, "C", c, "B", b);
  detail::run_atax(exec, a, v, detail::output(b), detail::output(c), options);
}

}  // namespace tessera
