// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <variant>

#include <Kokkos_Core.hpp>

#include <tessera/backends/compiled.hpp>
#include <tessera/detail/kernels.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/options.hpp>
#include <tessera/order/lines.hpp>
#include <tessera/solve/blocks.hpp>
#include <tessera/solve/in_memory.hpp>
#include <tessera/solve/row_sums.hpp>
#include <tessera/stream/detail/blocks.hpp>
#include <tessera/stream/detail/work.hpp>
#include <tessera/workspace.hpp>

/// Sums of squares of columns, copying a small part at a time.
namespace tessera::solve::detail {

template <class T>
struct SetOne {
  T* x;
  KOKKOS_FUNCTION void operator()(Index i) const { x[i] = T(1); }
};

template <class Exec, class T>
Kokkos::View<T*, Kokkos::LayoutRight, typename Exec::memory_space> ones(Exec const& exec,
                                                                        Index size) {
  static std::string const label("tessera::solve::ones");
  Kokkos::View<T*, Kokkos::LayoutRight, typename Exec::memory_space> const x(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), static_cast<std::size_t>(size));
  tessera::detail::for_each_element(exec, label, size, SetOne<T>{x.data()});
  return x;
}

/// units_j·(a_ij - mean_j).
template <class T>
struct Differences {
  T const* mean;
  T const* units;
};

template <class T>
struct SquareDifferences {
  T const* from;
  Index leading;
  Index stride;
  Differences<T> of;
  bool by_rows;
  T* to;
  Index length;
  KOKKOS_FUNCTION void operator()(Index line, Index place) const {
    Index const j = by_rows ? place : line;
    T const difference = of.units[j] * (from[line * leading + place * stride] - of.mean[j]);
    to[line * length + place] = difference * difference;
  }
};

template <class Exec, class T>
class LineSquares {
 public:
  using Lines = tessera::detail::Lines<T>;

  LineSquares(Exec const& exec, Differences<T> of, bool by_rows, Index elements)
      : exec_(exec),
        of_(of),
        by_rows_(by_rows),
        to_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing,
                               std::string("tessera::solve::squares")),
            static_cast<std::size_t>(elements)) {}

  static std::size_t target_bytes(Exec const& exec, Index bytes) {
    constexpr std::size_t least = std::size_t{1} << 20U;
    return std::min(group_bytes(exec), std::max(least, static_cast<std::size_t>(bytes) / 8));
  }

  /// Valid until the next call.
  Lines operator()(Lines const& lines, Index first) const {
    static std::string const label("tessera::solve::squares");
    Index const begin = by_rows_ ? 0 : first;
    for_each_entry(exec_, label, lines.count, lines.length,
                   SquareDifferences<T>{lines.data,
                                        lines.leading,
                                        lines.stride,
                                        {of_.mean + begin, of_.units + begin},
                                        by_rows_,
                                        to_.data(),
                                        lines.length});
    return {to_.data(), lines.count, lines.length, lines.length, lines.panel_lines};
  }
  Lines operator()(tessera::detail::NarrowLines<T> const& lines, Index first) const {
    widen_lines(exec_, lines, to_.data());
    return (*this)(Lines{to_.data(), lines.count, lines.length, lines.length, lines.panel_lines},
                   first);
  }

 private:
  Exec exec_;
  Differences<T> of_;
  bool by_rows_;
  Kokkos::View<T*, typename Exec::memory_space> to_;
};

/// out_j = Σ_i (units_j·(a_ij - mean_j))², in the order of `multiply_transposed`. Fences.
template <class Exec, class T>
void add_squares(Exec const& exec, std::type_identity_t<LinesInMemory<T>> const& all, bool by_rows,
                 Differences<T> const& of, Kernels kernels, Workspace<Exec>& workspace,
                 tessera::detail::OutputVector<T> out) {
  auto const lines = std::visit([](auto const& x) { return tessera::detail::shape_of(x); }, all);
  namespace parts = stream::detail;
  static tessera::detail::Label const label("tessera::solve::squares");
  if (lines.count == 0 || lines.length == 0) {
    return tessera::detail::set_zero<T>(exec, label.zero, by_rows ? lines.length : lines.count,
                                        out);
  }
  parts::Extents const extents{lines.count, lines.length, lines.panel_lines};
  auto const of_line = static_cast<std::size_t>(lines.length) * sizeof(T);
  std::size_t const target =
      std::max(of_line, LineSquares<Exec, T>::target_bytes(exec, lines.bytes()));
  auto const factors = ones<Exec, T>(exec, by_rows ? lines.count : lines.length);
  tessera::detail::with_kernels<Exec>(kernels, [&]<class Set>(Set) {
    auto const run = [&]<class Work>(std::type_identity<Work>) {
      auto const blocks = *parts::Blocks::of<T>(extents, Work::cut, target, target);
      LineSquares<Exec, T> const squares(exec, of, by_rows, blocks.size() * lines.length);
      Work work(exec, label, extents, blocks, factors, out, workspace);
      for (Index block = 0; block < blocks.count(); ++block) {
        auto const [first, count] = blocks.part(block);
        std::visit(
            [&](auto some) {
              some.data = some.line(first);
              some.count = count;
              work.take(block, squares(some, first).data);
            },
            all);
      }
      work.finish();
      exec.fence("tessera::solve: the squares are added");
    };
    if (by_rows) {
      run(std::type_identity<parts::SumWork<Exec, T, true, Set>>());
    } else {
      run(std::type_identity<parts::DotWork<Exec, T, false, Set>>());
    }
  });
}

}  // namespace tessera::solve::detail

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_SOLVE_SQUARES(TEMPLATE, EXEC, T)                                               \
  namespace tessera::solve::detail {                                                           \
  TEMPLATE Kokkos::View<T*, Kokkos::LayoutRight, typename EXEC::memory_space> ones<EXEC, T>(   \
      EXEC const&, Index);                                                                     \
  TEMPLATE void add_squares(EXEC const&, LinesInMemory<T> const&, bool, Differences<T> const&, \
                            Kernels, Workspace<EXEC>&, tessera::detail::OutputVector<T>);      \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_SOLVE_SQUARES)
