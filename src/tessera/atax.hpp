// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/detail/arguments.hpp>
#include <tessera/detail/kernels.hpp>

namespace tessera {
namespace detail {

/// Whether ATAX by this method reads the matrix once.
template <class Exec, bool RowMajor, class T>
bool is_fused(Method method, Tuning const& tuning, Lines<T> const& lines) {
  if (method != Method::automatic) return method == Method::fused;
  return tuning.prefer_fused && suit_fusion<Exec, RowMajor>(lines);
}

/// Fused ATAX; `b.data` is null when B is not wanted. `source`, if any, is where kernels of
/// row-major lines on a host have them from instead of memory. Kernels are called `name`::fused.
template <bool RowMajor, class Exec, class V, class T, class... Source>
void run_fused(Exec const& exec, std::string const& name, Lines<T> const& lines, V const& v,
               OutputVector<T> b, OutputVector<T> c, Workspace<Exec>* workspace,
               Tuning const& tuning, Source const&... source) {
  std::string const label = name + "::fused";
  FusedOf<Exec, T, RowMajor> const plan(exec, lines, tuning);
  Index const packed = packed_size(v);
  Index const partials = plan.workspace(lines);
  Parts<Exec, T> parts(exec, workspace, whole_words<T>(packed) + whole_words<T>(partials),
                       plan.exchanged(lines));
  T const* const x = contiguous(exec, label, v, parts.take(packed));
  plan.run(exec, label, lines, x, b, c, parts.take(partials), parts.meeting(), source...);
}

/// Two-stage ATAX; `b.data` is null when B is not wanted. Kernels are called `name`::multiply and
/// so on.
template <bool RowMajor, class Exec, class V, class T>
void run_two_stage(Exec const& exec, std::string const& name, Lines<T> const& lines, V const& v,
                   OutputVector<T> b, OutputVector<T> c, Workspace<Exec>* workspace,
                   Tuning const& tuning) {
  Index const rows = RowMajor ? lines.count : lines.length;
  bool const own_b = b.data == nullptr || b.stride != 1;
  Index const intermediate = own_b ? rows : 0;
  Index const packed = packed_size(v);
  DotOf<Exec, T> const dot_plan(exec, lines, tuning);
  SumOf<Exec, T> const sum_plan(exec, lines, tuning);
  Index const runs = dot_plan.workspace(lines);
  Index const partials = sum_plan.workspace(lines);

  Parts<Exec, T> parts(exec, workspace,
                       whole_words<T>(packed) + whole_words<T>(intermediate) +
                           whole_words<T>(runs) + whole_words<T>(partials));
  T const* const x = contiguous(exec, name, v, parts.take(packed));
  OutputVector<T> const first = own_b ? OutputVector<T>{parts.take(intermediate), 1} : b;
  T* const dot_workspace = parts.take(runs);
  T* const sum_workspace = parts.take(partials);
  std::string const multiply_label = name + "::multiply";
  std::string const transposed_label = name + "::multiply_transposed";
  T const* const intermediate_vector = first.data;
  if constexpr (RowMajor) {
    dot_plan.run(exec, multiply_label, lines, x, first, dot_workspace);
    sum_plan.run(exec, transposed_label, lines, intermediate_vector, c, sum_workspace,
                 parts.meeting());
  } else {
    sum_plan.run(exec, multiply_label, lines, x, first, sum_workspace, parts.meeting());
    dot_plan.run(exec, transposed_label, lines, intermediate_vector, c, dot_workspace);
  }
  if (own_b && b.data != nullptr) {
    copy_vector<T>(exec, name + "::unpack", rows, first.data, 1, b);
  }
}

/// ATAX by the method that the options and the tuning say.
template <class Exec, class Matrix, class V, class T>
void run_atax(Exec const& exec, Matrix const& a, V const& v, OutputVector<T> b, OutputVector<T> c,
              AtaxOptions<Exec> const& options) {
  constexpr bool row_major = is_row_major<Matrix>;
  std::string const name = "tessera::atax";
  Tuning const tuning = tuning_for<T, row_major>(exec, static_cast<Index>(a.extent(0)),
                                                 static_cast<Index>(a.extent(1)), options.tuning);
  auto const lines = lines_of(a);
  if (is_fused<Exec, row_major>(options.method, tuning, lines)) {
    run_fused<row_major>(exec, name, lines, v, b, c, options.workspace, tuning);
  } else {
    run_two_stage<row_major>(exec, name, lines, v, b, c, options.workspace, tuning);
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
