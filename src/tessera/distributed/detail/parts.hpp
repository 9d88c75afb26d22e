// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <Kokkos_Core.hpp>

#include <tessera/atax.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/detail/packing.hpp>
#include <tessera/detail/run_atax.hpp>
#include <tessera/distributed/detail/shares.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/kernels/factor.hpp>
#include <tessera/maps.hpp>
#include <tessera/order/lines.hpp>
#include <tessera/order/narrow.hpp>
#include <tessera/order/pair_tree.hpp>
#include <tessera/stream/detail/work.hpp>

/// A rank's sums of subtrees, and chains of units that ranks share.
namespace tessera::distributed::detail {

using tessera::detail::Lines;
using tessera::detail::MatrixArgument;
using tessera::detail::OneColumn;
using tessera::detail::OutputVector;
using tessera::detail::OutputVectors;
using tessera::detail::SomeColumns;
using tessera::detail::VectorArgument;

/// Lines of `rows`, in panels of the whole matrix.
template <bool RowMajor, class A>
auto lines_of_rows(A const& a, Rows const& rows, Index all_rows) {
  auto lines = tessera::detail::lines_of<RowMajor>(a);
  if constexpr (RowMajor) {
    lines.data = lines.line(rows.first);
    lines.count = rows.count;
    lines.panel_lines = summation::panels(all_rows, lines.length).lines;
  } else {
    lines.data = lines.data + rows.first;
    lines.length = rows.count;
    lines.panel_lines = summation::panels(lines.count, all_rows).lines;
  }
  return lines;
}

template <class T>
VectorArgument<T> some_of(VectorArgument<T> const& x, Rows const& rows) {
  auto const first = static_cast<std::size_t>(rows.first) * x.stride(0);
  return {x.data() + first, static_cast<std::size_t>(rows.count), x.stride(0)};
}

template <class T, class Space>
RowMap<T, Space> some_of(RowMap<T, Space> const& map, Rows const& rows) {
  if (map.is_identity()) return map;
  auto const& f = map.function();
  Kokkos::View<T const*, Kokkos::LayoutStride, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
      x(f.x + rows.first * f.stride, Kokkos::LayoutStride(static_cast<std::size_t>(rows.count),
                                                          static_cast<std::size_t>(f.stride)));
  return {f.kind, x, f.gamma};
}

template <class Set, bool RowMajor, class Exec, class T, class Data, class OfCall,
          class Columns = OneColumn>
Tuning tuning_of(Exec const& exec, Lines<T, Data> const& lines, OfCall const& options,
                 Columns const& columns = {}) {
  if (!options.tuning) {
    return stream::detail::tuning_of<Set, RowMajor>(exec, tessera::detail::shape_of(lines),
                                                    columns);
  }
  checks::require_valid(*options.tuning);
  return *options.tuning;
}

template <class Exec, class T, class OfCall>
Options<Exec> options_of_stage(OfCall const& options) {
  return {.workspace = options.workspace, .tuning = options.tuning, .kernels = options.kernels};
}

/// y = A·x of these rows, x a vector or a block.
template <class Set, bool RowMajor, class Exec, class T, class Data, class In, class Out,
          class Columns = OneColumn>
void multiply_rows(Exec const& exec, Lines<T, Data> const& lines, In const& x, Out const& y,
                   Options<Exec> const& options, Columns const& columns = {}) {
  static tessera::detail::Label const label("tessera::distributed::multiply");
  Tuning const tuning = tuning_of<Set, RowMajor>(exec, lines, options, columns);
  if constexpr (RowMajor) {
    tessera::detail::run_dot<Set>(exec, label, lines, x, y, options, tuning, columns);
  } else {
    tessera::detail::run_sum<Set>(exec, label, lines, x, y, options, tuning, columns);
  }
}

/// sum = Aᵀ·u over these rows, whole units; u a vector or a block.
template <class Set, bool RowMajor, class Exec, class T, class Data, class In, class Out,
          class Columns = OneColumn>
void add_rows(Exec const& exec, Lines<T, Data> const& lines, In const& u, Out const& sum,
              Options<Exec> const& options, Columns const& columns = {}) {
  static tessera::detail::Label const label("tessera::distributed::multiply_transposed");
  Tuning const tuning = tuning_of<Set, RowMajor>(exec, lines, options, columns);
  if constexpr (RowMajor) {
    tessera::detail::run_sum<Set>(exec, label, lines, u, sum, options, tuning, columns);
  } else {
    tessera::detail::run_dot<Set>(exec, label, lines, u, sum, options, tuning, columns);
  }
}

/// b = f(A·v) of these rows and sum = Aᵀ·b, whole units; v a vector or a block. b.data may be null.
template <class Set, bool RowMajor, class Exec, class T, class Data, class In, class Out,
          class Factor, class Columns = OneColumn>
void add_atax(Exec const& exec, Lines<T, Data> const& lines, In const& v, Out const& b,
              Out const& sum, AtaxOptions<Exec, T> const& options, Factor const& factor,
              Columns const& columns = {}) {
  static tessera::detail::AtaxLabels const labels("tessera::distributed::atax");
  Tuning const tuning = tuning_of<Set, RowMajor>(exec, lines, options, columns);
  if constexpr (Columns::most == 1 ||
                tessera::detail::fuses_blocks<typename Set::template Of<Exec, T>>) {
    if (tessera::detail::is_fused<Exec, RowMajor, Set>(options.method, tuning, lines, columns)) {
      return tessera::detail::with_fused_kernels<Set, RowMajor>(
          exec, lines, tuning, [&]<class Fused>(Fused) {
            tessera::detail::launch_fused<RowMajor, Fused>(
                exec, labels, lines, v, b, sum, options.workspace,
                tuning_of<Fused, RowMajor>(exec, lines, options, columns), factor, columns);
          });
    }
  }
  tessera::detail::launch_two_stage<RowMajor, Set>(exec, labels, lines, v, b, sum,
                                                   options.workspace, tuning, factor, columns);
}

/// A: an argument that is read as T.
template <class Exec, class T, class A = MatrixArgument<T const>>
struct TransposedJob {
  Exec const& exec;
  A const& a;
  VectorArgument<T const> u;
  Options<Exec> const& options;
  Index all_rows;

  template <class Set, bool RowMajor>
  void add_units(Rows const& rows, OutputVector<T> sum) const {
    add_rows<Set, RowMajor>(exec, lines_of_rows<RowMajor>(a, rows, all_rows), some_of(u, rows), sum,
                            options);
  }
  /// y = factors of these rows in a shared unit's chains.
  template <class Set, bool RowMajor>
  void make_factors(Rows const& rows, T* y) const {
    auto const some = some_of(u, rows);
    tessera::detail::copy_vector<T>(exec, "tessera::distributed::copy", rows.count, some.data(),
                                    static_cast<Index>(some.stride(0)), {y, 1});
  }
};

template <class Exec, class T, class Factor, class A = MatrixArgument<T const>>
struct AtaxJob {
  Exec const& exec;
  A const& a;
  VectorArgument<T const> v;
  OutputVector<T> b;
  AtaxOptions<Exec, T> const& options;
  Factor const& factor;
  Index all_rows;

  template <class Set, bool RowMajor>
  void add_units(Rows const& rows, OutputVector<T> sum) const {
    add_atax<Set, RowMajor>(exec, lines_of_rows<RowMajor>(a, rows, all_rows), v, b.from(rows.first),
                            sum, options, shifted(factor, rows.first));
  }
  template <class Set, bool RowMajor>
  void make_factors(Rows const& rows, T* y) const {
    multiply_rows<Set, RowMajor>(exec, lines_of_rows<RowMajor>(a, rows, all_rows), v,
                                 OutputVector<T>{y, 1}, options_of_stage<Exec, T>(options));
    OutputVector<T> const its_b = b.from(rows.first);
    if constexpr (!tessera::kernels::is_identity<Factor>) {
      tessera::detail::multiply_by_factors(exec, "tessera::distributed::factors", rows.count, y,
                                           its_b, shifted(factor, rows.first));
    } else if (b.data != nullptr) {
      tessera::detail::copy_vector<T>(exec, "tessera::distributed::copy", rows.count, y, 1, its_b);
    }
  }
};

/// Chains of a unit that ranks share: one (row-major), or one per lane of a segment.
template <bool RowMajor, class T>
inline constexpr Index chains_of_column = RowMajor ? 1 : Index{summation::lanes<T>};

template <class T, class Data>
struct GoOnInLanes {
  Lines<T, Data> columns;
  Index first;  ///< row in the segment
  T const* y;
  T* chains;  // (columns, lanes)
  KOKKOS_FUNCTION void operator()(Index j) const {
    constexpr Index lanes = summation::lanes<T>;
    stream::detail::with_elements(columns, [&](auto const& element) {
      for (Index i = 0; i < columns.length; ++i) {
        T& chain = chains[j * lanes + (first + i) % lanes];
        chain = Kokkos::fma(element(j, i), y[i], chain);
      }
    });
  }
};

template <class T>
struct AddLanes {
  T const* chains;
  T* sums;
  KOKKOS_FUNCTION void operator()(Index j) const {
    constexpr Index lanes = summation::lanes<T>;
    tessera::detail::PairTree<T> tree;
    for (Index lane = 0; lane < lanes; ++lane) tree.push(chains[j * lanes + lane]);
    sums[j] = tree.sum();
  }
};

/// The first row has index `first` in the unit.
template <bool RowMajor, class Exec, class T, class Data>
void go_on(Exec const& exec, Lines<T, Data> const& lines, Index first, T const* y, T* chains) {
  if constexpr (RowMajor) {
    stream::detail::go_on_with_chains(exec, lines, y, chains, false);
  } else {
    tessera::detail::for_each_element(exec, "tessera::distributed::chains", lines.count,
                                      GoOnInLanes<T, Data>{lines, first, y, chains});
  }
}

template <bool RowMajor, class Exec, class T>
void end_chains(Exec const& exec, Index cols, T const* chains, T* sums) {
  if constexpr (RowMajor) {
    tessera::detail::copy_vector<T>(exec, "tessera::distributed::copy", cols, chains, 1, {sums, 1});
  } else {
    tessera::detail::for_each_element(exec, "tessera::distributed::lanes", cols,
                                      AddLanes<T>{chains, sums});
  }
}

}  // namespace tessera::distributed::detail
