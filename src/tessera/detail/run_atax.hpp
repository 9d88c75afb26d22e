// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/detail/arguments.hpp>
#include <tessera/detail/kernels.hpp>
#include <tessera/detail/packing.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/kernels/factor.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/options.hpp>

/// C = Aᵀ·f(A·V), V one vector or columns of a block:
///
///     run_atax           the method of the options or the tuning
///       fuse_columns     as many columns as the kernels take
///         fuse           portable kernels if accelerated ones cannot fuse
///           launch_fused
///       launch_two_stage
namespace tessera::detail {

template <class Exec, bool RowMajor, class Set = AcceleratedKernels, class T, class Data,
          class Columns = OneColumn>
bool is_fused(Method method, Tuning const& tuning, Lines<T, Data> const& lines,
              Columns const& columns = {}) {
  if (method != Method::automatic) return method == Method::fused;
  return tuning.prefer_fused && Set::template suit_fusion<Exec, RowMajor>(lines, columns);
}

/// `b.data` may be null. Only row-major lines on a host have a `source`.
template <bool RowMajor, class Set, class Exec, class V, class T, class Data, class Out,
          class Factor, class Columns = OneColumn, class... Source>
void launch_fused(Exec const& exec, AtaxLabels const& labels, Lines<T, Data> const& given,
                  V const& v, Out const& b, Out const& c, Workspace<Exec>* workspace,
                  Tuning const& tuning, Factor const& factor, Columns const& columns = {},
                  Source const&... source) {
  static_assert(sizeof...(Source) <= 1);
  Lines<T, Data> lines = before_packing(given);
  FusedOf<Exec, T, RowMajor, Set, Columns> const plan(exec, lines, tuning, columns);
  Index const packed_line = packed_size(given);
  Index const packed = packed_size(v);
  Index const partials = plan.workspace(lines);
  WorkspaceParts<Exec, T> parts(
      exec, workspace,
      whole_words<T>(packed_line) + whole_words<T>(packed) + whole_words<T>(partials),
      plan.exchanged(lines));
  lines.data = contiguous(exec, labels.fused.pack, given, parts.take(packed_line));
  auto const x = contiguous(exec, labels.fused.pack, v, parts.take(packed));
  plan.run(exec, labels.fused, lines, x, b, c, parts.take(partials), parts.meeting(), factor,
           columns, source...);
}

template <class T, class Factor>
struct MultiplyByFactors {
  Factor factor;
  T* values;
  OutputVector<T> unchanged;  ///< `data` may be null
  KOKKOS_FUNCTION void operator()(Index i) const {
    unchanged.set(i, values[i]);
    values[i] = factor(i, values[i]);
  }
};

template <class Exec, class T, class Factor>
void multiply_by_factors(Exec const& exec, std::string const& label, Index size, T* values,
                         OutputVector<T> unchanged, Factor const& factor) {
  for_each_element(exec, label, size, MultiplyByFactors<T, Factor>{factor, values, unchanged});
}

template <bool RowMajor, class Set, class Exec, class V, class T, class Data, class Out,
          class Factor, class Columns = OneColumn>
void launch_two_stage(Exec const& exec, AtaxLabels const& labels, Lines<T, Data> const& given,
                      V const& v, Out const& b, Out const& c, Workspace<Exec>* workspace,
                      Tuning const& tuning, Factor const& factor, Columns const& columns = {}) {
  Lines<T, Data> lines = before_packing(given);
  Index const rows = RowMajor ? lines.count : lines.length;
  bool const own_b = b.data == nullptr || b.stride != 1 || !kernels::is_identity<Factor>;
  Index const intermediate = own_b ? rows * columns.count() : 0;
  Index const packed_line = packed_size(given);
  Index const packed = packed_size(v);
  DotOf<Exec, T, Set, Columns> const dot_plan(exec, lines, tuning, columns);
  SumOf<Exec, T, Set, Columns> const sum_plan(exec, lines, tuning, columns);
  Index const runs = dot_plan.workspace(lines);
  Index const partials = sum_plan.workspace(lines);

  WorkspaceParts<Exec, T> parts(exec, workspace,
                                whole_words<T>(packed_line) + whole_words<T>(packed) +
                                    whole_words<T>(intermediate) + whole_words<T>(runs) +
                                    whole_words<T>(partials));
  lines.data = contiguous(exec, labels.pack, given, parts.take(packed_line));
  auto const x = contiguous(exec, labels.pack, v, parts.take(packed));
  Out const first = own_b ? contiguous_output<Columns>(parts.take(intermediate), rows) : b;
  T* const dot_workspace = parts.take(runs);
  T* const sum_workspace = parts.take(partials);
  if constexpr (RowMajor) {
    dot_plan.run(exec, labels.multiply, lines, x, first, dot_workspace, columns);
  } else {
    sum_plan.run(exec, labels.multiply, lines, x, first, sum_workspace, parts.meeting(), columns);
  }
  for (int j = 0; j < columns.count(); ++j) {
    OutputVector<T> const from = column_of(first, j);
    OutputVector<T> const to = column_of(b, j);
    if constexpr (!kernels::is_identity<Factor>) {
      multiply_by_factors(exec, labels.factors, rows, from.data, to, factor);
    } else if (own_b && to.data != nullptr) {
      copy_vector<T>(exec, labels.unpack, rows, from.data, 1, to);
    }
  }
  auto const factors = as_input(first);
  if constexpr (RowMajor) {
    sum_plan.run(exec, labels.multiply_transposed, lines, factors, c, sum_workspace,
                 parts.meeting(), columns);
  } else {
    dot_plan.run(exec, labels.multiply_transposed, lines, factors, c, dot_workspace, columns);
  }
}

template <bool RowMajor, class Set, class Exec, class T, ReadAs<T> A, class V, class Out,
          class Factor, class Columns>
void fuse(Exec const& exec, AtaxLabels const& labels, A const& a, V const& v, Out const& b,
          Out const& c, AtaxOptions<Exec, T> const& options, Factor const& factor,
          Columns const& columns) {
  auto const lines = lines_of<RowMajor>(a);
  auto const rows = static_cast<Index>(a.extent(0));
  auto const cols = static_cast<Index>(a.extent(1));
  auto const tuning_of = [&]<class Fused>(Fused) {
    return tuning_for<T, RowMajor, Fused>(exec, rows, cols, options.tuning, columns);
  };
  with_fused_kernels<Set, RowMajor>(exec, lines, tuning_of(Set{}), [&]<class Fused>(Fused) {
    launch_fused<RowMajor, Fused>(exec, labels, lines, v, b, c, options.workspace,
                                  tuning_of(Fused{}), factor, columns);
  });
}

template <bool RowMajor, class Set, class Exec, class T, ReadAs<T> A, class V, class Out,
          class Factor, class Columns>
void fuse_columns(Exec const& exec, AtaxLabels const& labels, A const& a, V const& v, Out const& b,
                  Out const& c, AtaxOptions<Exec, T> const& options, Factor const& factor,
                  Columns const& columns) {
  using Kernels = typename Set::template Of<Exec, T>;
  if constexpr (Columns::most == 1 || fuses_blocks<Kernels>) {
    fuse<RowMajor, Set>(exec, labels, a, v, b, c, options, factor, columns);
  } else {
    auto const lines = lines_of<RowMajor>(a);
    auto const all = static_cast<std::size_t>(columns.count());
    for_passes(all, Kernels::fused_at_once(RowMajor, lines, all),
               [&](std::size_t j, std::size_t n) {
                 auto const first = static_cast<Index>(j);
                 auto const some = static_cast<Index>(n);
                 if constexpr (RowMajor) {
                   if (some > 1) {
                     SomeColumns const these{static_cast<int>(some)};
                     Tuning const tuning = tuning_for<T, RowMajor, Set>(
                         exec, lines.count, lines.length, options.tuning, these);
                     return launch_fused<RowMajor, Set>(exec, labels, lines, v.some(first, some),
                                                        b.from(first), c.from(first),
                                                        options.workspace, tuning, factor, these);
                   }
                 }
                 for (Index i = first; i < first + some; ++i) {
                   fuse<RowMajor, Set>(exec, labels, a, v.column(i), b.column(i), c.column(i),
                                       options, factor, OneColumn{});
                 }
               });
  }
}

/// factor(i, b_i) is applied between the products.
template <class Exec, class T, ReadAs<T> A, class V, class Out, class Factor, class Columns>
void run_atax(Exec const& exec, A const& a, V const& v, Out const& b, Out const& c,
              AtaxOptions<Exec, T> const& options, Factor const& factor, Columns const& columns) {
  static AtaxLabels const labels("tessera::atax");
  auto const rows = static_cast<Index>(a.extent(0));
  auto const cols = static_cast<Index>(a.extent(1));
  with_lines("atax", "A", a, [&](auto by_rows, auto const& lines) {
    constexpr bool row_major = by_rows();
    with_kernels_for<Exec, T, Columns>("atax", lines, options.kernels, [&]<class Set>(Set) {
      Tuning const tuning =
          tuning_for<T, row_major, Set>(exec, rows, cols, options.tuning, columns);
      if (is_fused<Exec, row_major, Set>(options.method, tuning, lines, columns)) {
        fuse_columns<row_major, Set>(exec, labels, a, v, b, c, options, factor, columns);
      } else {
        launch_two_stage<row_major, Set>(exec, labels, lines, v, b, c, options.workspace, tuning,
                                         factor, columns);
      }
    });
  });
}

/// Two stages count as one read.
template <class Exec, class T>
Index reads_of_block(Exec const& exec, MatrixArgument<T const> const& a, std::size_t vectors,
                     AtaxOptions<Exec, T> const& options) {
  Index reads = 0;
  auto const rows = static_cast<Index>(a.extent(0));
  auto const cols = static_cast<Index>(a.extent(1));
  with_lines("atax", "A", a, [&](auto by_rows, Lines<T> const& lines) {
    constexpr bool row_major = by_rows();
    with_kernels<Exec>(options.kernels, [&]<class Set>(Set) {
      std::size_t const at_once = columns_at_once<Exec, T>(options.kernels);
      for_passes(vectors, at_once, [&](std::size_t /*first*/, std::size_t count) {
        auto const columns = static_cast<int>(count);
        Tuning const tuning =
            tuning_for<T, row_major, Set>(exec, rows, cols, options.tuning, SomeColumns{columns});
        bool const fused = count > 1 && is_fused<Exec, row_major, Set>(options.method, tuning,
                                                                       lines, SomeColumns{columns});
        reads +=
            fused ? passes_of(count, fused_at_once<Exec, row_major>(options.kernels, lines, count))
                  : 1;
      });
    });
  });
  return reads;
}

}  // namespace tessera::detail
