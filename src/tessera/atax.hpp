// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/detail/arguments.hpp>
#include <tessera/detail/kernels.hpp>
#include <tessera/kernels/factor.hpp>
#include <tessera/kernels/label.hpp>

namespace tessera {
namespace detail {

/// Whether ATAX by this method reads the matrix once.
template <class Exec, bool RowMajor, class Set = AcceleratedKernels, class T>
bool is_fused(Method method, Tuning const& tuning, Lines<T> const& lines) {
  if (method != Method::automatic) return method == Method::fused;
  return tuning.prefer_fused && Set::template suit_fusion<Exec, RowMajor>(lines);
}

/// Fused ATAX; `b.data` is null when B is not wanted. `source`, if any, is where kernels of
/// row-major lines on a host have them from instead of memory.
template <bool RowMajor, class Set, class Exec, class V, class T, class Factor, class... Source>
void run_fused(Exec const& exec, AtaxLabels const& labels, Lines<T> const& lines, V const& v,
               OutputVector<T> b, OutputVector<T> c, Workspace<Exec>* workspace,
               Tuning const& tuning, Factor const& factor, Source const&... source) {
  FusedOf<Exec, T, RowMajor, Set> const plan(exec, lines, tuning);
  Index const packed = packed_size(v);
  Index const partials = plan.workspace(lines);
  Parts<Exec, T> parts(exec, workspace, whole_words<T>(packed) + whole_words<T>(partials),
                       plan.exchanged(lines));
  T const* const x = contiguous(exec, labels.fused.pack, v, parts.take(packed));
  plan.run(exec, labels.fused, lines, x, b, c, parts.take(partials), parts.meeting(), factor,
           source...);
}

template <class T, class Factor>
struct MultiplyByFactors {
  Factor factor;
  T* values;
  OutputVector<T> unchanged;  ///< where they are kept; none if `data` is null
  KOKKOS_FUNCTION void operator()(Index i) const {
    unchanged.set(i, values[i]);
    values[i] = factor(i, values[i]);
  }
};

/// values[i] = factor(i, values[i]); unchanged[i] = values[i] before, where it is wanted.
template <class Exec, class T, class Factor>
void multiply_by_factors(Exec const& exec, std::string const& label, Index size, T* values,
                         OutputVector<T> unchanged, Factor const& factor) {
  for_each_element(exec, label, size, MultiplyByFactors<T, Factor>{factor, values, unchanged});
}

/// Two-stage ATAX; `b.data` is null when B is not wanted.
template <bool RowMajor, class Set, class Exec, class V, class T, class Factor>
void run_two_stage(Exec const& exec, AtaxLabels const& labels, Lines<T> const& lines, V const& v,
                   OutputVector<T> b, OutputVector<T> c, Workspace<Exec>* workspace,
                   Tuning const& tuning, Factor const& factor) {
  Index const rows = RowMajor ? lines.count : lines.length;
  bool const own_b = b.data == nullptr || b.stride != 1 || !kernels::is_identity<Factor>;
  Index const intermediate = own_b ? rows : 0;
  Index const packed = packed_size(v);
  DotOf<Exec, T, Set> const dot_plan(exec, lines, tuning);
  SumOf<Exec, T, Set> const sum_plan(exec, lines, tuning);
  Index const runs = dot_plan.workspace(lines);
  Index const partials = sum_plan.workspace(lines);

  Parts<Exec, T> parts(exec, workspace,
                       whole_words<T>(packed) + whole_words<T>(intermediate) +
                           whole_words<T>(runs) + whole_words<T>(partials));
  T const* const x = contiguous(exec, labels.pack, v, parts.take(packed));
  OutputVector<T> const first = own_b ? OutputVector<T>{parts.take(intermediate), 1} : b;
  T* const dot_workspace = parts.take(runs);
  T* const sum_workspace = parts.take(partials);
  if constexpr (RowMajor) {
    dot_plan.run(exec, labels.multiply, lines, x, first, dot_workspace);
  } else {
    sum_plan.run(exec, labels.multiply, lines, x, first, sum_workspace, parts.meeting());
  }
  if constexpr (!kernels::is_identity<Factor>) {
    multiply_by_factors(exec, labels.factors, rows, first.data, b, factor);
  } else if (own_b && b.data != nullptr) {
    copy_vector<T>(exec, labels.unpack, rows, first.data, 1, b);
  }
  T const* const factors = first.data;
  if constexpr (RowMajor) {
    sum_plan.run(exec, labels.multiply_transposed, lines, factors, c, sum_workspace,
                 parts.meeting());
  } else {
    dot_plan.run(exec, labels.multiply_transposed, lines, factors, c, dot_workspace);
  }
}

/// ATAX by the method that the options and the tuning say, with factor(i, b_i) between the
/// products; of no rows or columns, zeros.
template <class Exec, class T, class Factor = kernels::Identity>
void run_atax(Exec const& exec, MatrixArgument<T const> const& a, VectorArgument<T const> const& v,
              OutputVector<T> b, OutputVector<T> c, AtaxOptions<Exec> const& options,
              Factor const& factor = {}) {
  static AtaxLabels const labels("tessera::atax");
  auto const rows = static_cast<Index>(a.extent(0));
  auto const cols = static_cast<Index>(a.extent(1));
  Region const region("atax", rows, cols);
  if (rows == 0 || cols == 0) {
    if (b.data != nullptr) set_zero<T>(exec, labels.zero, rows, b);
    set_zero<T>(exec, labels.zero, cols, c);
    return;
  }
  with_order("atax", "A", a, [&](auto by_rows) {
    constexpr bool row_major = by_rows();
    auto const lines = lines_of<row_major>(a);
    with_kernels<Exec>(options.kernels, [&]<class Set>(Set) {
      Tuning const tuning = tuning_for<T, row_major, Set>(exec, rows, cols, options.tuning);
      if (!is_fused<Exec, row_major, Set>(options.method, tuning, lines)) {
        return run_two_stage<row_major, Set>(exec, labels, lines, v, b, c, options.workspace,
                                             tuning, factor);
      }
      with_fused_kernels<Set, row_major>(exec, lines, tuning, [&]<class Fused>(Fused) {
        run_fused<row_major, Fused>(
            exec, labels, lines, v, b, c, options.workspace,
            tuning_for<T, row_major, Fused>(exec, rows, cols, options.tuning), factor);
      });
    });
  });
}

/// ATAX with B if it is wanted: `b` is null where it is not.
template <class Exec, class T>
void call_atax(Exec const& exec, MatrixArgument<T const> const& a, VectorArgument<T const> const& v,
               VectorArgument<T> const* b, VectorArgument<T> const& c,
               AtaxOptions<Exec> const& options) {
  constexpr auto operation = "atax";
  checks::require_matrix(operation, a);
  checks::require_input(operation, "v", v, a.extent(1));
  if (b != nullptr) {
    checks::require_output(operation, "B", *b, a.extent(0));
  }
  checks::require_output(operation, "C", c, a.extent(1));
  if (b != nullptr) {
    checks::require_apart(operation, "B", *b, "A", a);
    checks::require_apart(operation, "B", *b, "v", v);
  }
  checks::require_apart(operation, "C", c, "A", a);
  checks::require_apart(operation, "C", c, "v", v);
  if (b != nullptr) checks::require_apart(operation, "C", c, "B", *b);
  run_atax(exec, a, v, b == nullptr ? OutputVector<T>{nullptr, 1} : output(*b), output(c), options);
}

}  // namespace detail

/// C = Aᵀ·(A·v)
///
/// | argument | shape | |
/// |---|---|---|
/// | exec | | execution space instance that does the work |
/// | A | m x n | in: rows or columns contiguous, any leading dimension |
/// | v | n | in: any stride |
/// | C | n | out: any stride but 0, overwritten |
/// | options | | method, workspace, tuning and kernels; `Options` are taken, too |
///
/// Work and traffic: 4mn flop; fused (mn + 2n)·sizeof(T) bytes, the matrix read once; two-stage
/// (2mn + 2m + 2n)·sizeof(T) bytes.
///
/// Guarantees: asynchronous in `exec`; no fence, and no allocation with a kept workspace that is
/// large enough. The bits of C are a function of A, v and A's layout alone: fused and two-stage
/// agree (docs/summation.md). Where A has no rows, C = 0. C must not overlap A or v. Throws
/// std::invalid_argument for sizes that do not fit, a view without memory, overlap, an unusable
/// tuning, or a workspace in use, before any work is enqueued.
///
/// A in LayoutStride counts as row-major if the elements of its rows lie side by side, else as
/// column-major if those of its columns do, and is refused otherwise.
///
/// Source: ATAX of PolyBench; fusion by reading each panel of rows (tile of columns) once, with
/// the order of summation of docs/summation.md.
template <ExecutionSpace Exec, MatrixOf<Exec> A, VectorOf<Exec, A> V, OutputVectorOf<Exec, A> C>
void atax(Exec const& exec, A const& a, V const& v, C const& c,
          std::type_identity_t<AtaxOptions<Exec>> const& options = {}) {
  using T = typename A::non_const_value_type;
  detail::call_atax<Exec, T>(exec, detail::matrix_in(a), detail::vector_in(v), nullptr,
                             detail::vector_out(c), options);
}

/// C = Aᵀ·(A·v), and B = A·v on the way
///
/// As `atax` without B; B has m entries, any stride, is overwritten, and must not overlap A, v or
/// C. Its bits are those of `multiply`. Where A has no columns, B = 0. Adds m·sizeof(T) bytes of
/// traffic.
template <ExecutionSpace Exec, MatrixOf<Exec> A, VectorOf<Exec, A> V, OutputVectorOf<Exec, A> B,
          OutputVectorOf<Exec, A> C>
void atax(Exec const& exec, A const& a, V const& v, B const& b, C const& c,
          std::type_identity_t<AtaxOptions<Exec>> const& options = {}) {
  auto const first = detail::vector_out(b);
  detail::call_atax(exec, detail::matrix_in(a), detail::vector_in(v), &first, detail::vector_out(c),
                    options);
}

template <ExecutionSpace Exec, ForeignScalars A, class... Arguments>
refused::TesseraComputesWithFloatAndDoubleOnly atax(Exec const&, A const&,
                                                    Arguments const&...) = delete;

}  // namespace tessera

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_ATAX(TEMPLATE, EXEC, T)                                             \
  namespace tessera::detail {                                                       \
  TEMPLATE void call_atax(EXEC const&, MatrixArgument<T const> const&,              \
                          VectorArgument<T const> const&, VectorArgument<T> const*, \
                          VectorArgument<T> const&, AtaxOptions<EXEC> const&);      \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_ATAX)
