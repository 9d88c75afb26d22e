// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/ahead.hpp>
#include <tessera/backends/host/avx512.hpp>
#include <tessera/order/blocks.hpp>
#include <tessera/order/lines.hpp>
#include <tessera/order/static_for.hpp>
#include <tessera/order/vector_stack.hpp>

/// Sums over lines by one thread.
namespace tessera::detail {

/// Columns between two accesses to a subtree, so that sums stay in L1.
inline constexpr Index columns_of_merge = 4096;

/// While `next` prefetches, small pieces limit memory requests at a time.
template <class T>
KOKKOS_INLINE_FUNCTION Index columns_per_chunk(NextStep<T> const& next, Index columns) {
  return next.limit > 0 ? 1024 / static_cast<Index>(sizeof(T)) : columns;
}

/// sums[j] = chain over `Count` lines of y[r] * line_r[j], from +0 if `Fresh`, else from sums[j].
/// If `Merge`, sums[j] += the chain, from +0 or begun[j].
///
/// Not inlined: slower among its caller's loops.
template <int Count, bool Fresh, bool Merge, class T>
__attribute__((noinline)) KOKKOS_FUNCTION void add_lines_by_packs(T const* lines, Index leading,
                                                                  T const* y, T const* begun,
                                                                  T* KOKKOS_RESTRICT sums,
                                                                  Index width) {
  PerLine<T const * KOKKOS_RESTRICT, Count> line;
  for (int r = 0; r < Count; ++r) line[r] = lines + r * leading;
  for (Index j = 0; j < width; ++j) {
    T sum = Fresh ? T(0) : Merge ? begun[j] : sums[j];
    static_for<Count>([&](auto r) __attribute__((always_inline)) {
      sum = Kokkos::fma(y[r()], line[r()][j], sum);
    });
    sums[j] = Merge ? sums[j] + sum : sum;
  }
}

/// joined = the chain over `Count` lines of y[r] * line_r[j], from begun[j], or +0 if null. If no
/// subtree waits, `begun` must be the destination.
template <int Count, class T>
KOKKOS_INLINE_FUNCTION void add_lines(T const* lines, Index leading, T const* y, T const* begun,
                                      Joined<T> const& joined, Index width) {
  if constexpr (backends::host::avx512::compiled) {
    if (backends::host::avx512::available()) {
      return backends::host::avx512::add_lines<Count>(lines, leading, y, begun, joined, width);
    }
  }
  // Joining in the same pass is faster.
  for (Index j = 0; j < width; j += columns_of_merge) {
    Index const some = width - j < columns_of_merge ? width - j : columns_of_merge;
    Joined<T> const to = joined.from(j);
    T* const sums = to.subtree(0);
    T const* const from = lines + j;
    if (begun == nullptr) {
      to.waiting == 0 ? add_lines_by_packs<Count, true, false>(from, leading, y, begun, sums, some)
                      : add_lines_by_packs<Count, true, true>(from, leading, y, begun, sums, some);
    } else {
      to.waiting == 0
          ? add_lines_by_packs<Count, false, false>(from, leading, y, begun + j, sums, some)
          : add_lines_by_packs<Count, false, true>(from, leading, y, begun + j, sums, some);
    }
    to.join_others(some);
  }
}

/// Adds lines [block, block + Count) of panel `index`, [first, last). The last ones join the
/// subtrees it completes. `y` begins with line `block`, `stack` with column `begin`. Prefetches as
/// much of `next`.
template <int Count, class T>
KOKKOS_INLINE_FUNCTION void add_to_panel(NextStep<T> const& next, Lines<T> const& lines,
                                         Index block, Index first, Index last, T const* y,
                                         VectorStack<T> const& stack, Index index, Index begin,
                                         Index end) {
  T* const sums = stack.level(VectorStack<T>::level_of(index));
  T const* const begun = block == first ? nullptr : sums;
  Joined<T> const joined = block + Count == last ? stack.joined(index) : Joined<T>{sums};
  Index const chunk = columns_per_chunk(next, end - begin);
  for (Index j = begin; j < end; j += chunk) {
    Index const width = Kokkos::min(chunk, end - j);
    for (int r = 0; r < Count; ++r) next.fetch(r, j, width);
    add_lines<Count>(lines.line(block) + j, lines.leading, y,
                     begun == nullptr ? nullptr : begun + (j - begin), joined.from(j - begin),
                     width);
  }
}

/// The first column loads the lines to L1.
template <int Count, class T, class Columns>
KOKKOS_INLINE_FUNCTION void add_to_panels_of_block(Columns const& columns, NextStep<T> const& next,
                                                   Lines<T> const& lines, Index block, Index first,
                                                   Index last, auto const& y, auto const& stack,
                                                   Index index) {
  if constexpr (Columns::most == 1) {
    add_to_panel<Count>(next, lines, block, first, last, y(0), stack(0), index, 0, lines.length);
  } else {
    constexpr Index some = 4096 / static_cast<Index>(sizeof(T));
    for (Index j = 0; j < lines.length; j += some) {
      Index const end = Kokkos::min(lines.length, j + some);
      for (int c = 0; c < columns.count(); ++c) {
        add_to_panel<Count>(c == 0 ? next : NextStep<T>{lines}, lines, block, first, last, y(c),
                            stack(c).from(j), index, j, end);
      }
    }
  }
}

/// Pushes the chain of y[i] * line i. Lines are read in order.
template <class T>
__attribute__((noinline)) KOKKOS_FUNCTION void add_one_by_one(Lines<T> const& lines, T const* y,
                                                              VectorStack<T> const& stack,
                                                              Index index) {
  if constexpr (backends::host::avx512::compiled) {
    if (backends::host::avx512::available() &&
        backends::host::avx512::add_short_lines(lines.data, lines.leading, lines.count, y,
                                                stack.joined(index), lines.length)) {
      return;
    }
  }
  T* KOKKOS_RESTRICT const sums = stack.level(VectorStack<T>::level_of(index));
  for (Index j = 0; j < lines.length; ++j) sums[j] = Kokkos::fma(y[0], lines.data[j], T(0));
  for (Index r = 1; r < lines.count; ++r) {
    T const factor = y[r];
    T const* KOKKOS_RESTRICT const line = lines.line(r);
    for (Index j = 0; j < lines.length; ++j) sums[j] = Kokkos::fma(factor, line[j], sums[j]);
  }
  stack.merge(index, 0, lines.length);
}

struct PanelWalk {
  int lines_per_step;
  bool pairs = false;  ///< with AVX-512: two panels at a time
};

/// Level 0 = the sum over lines of y[i] * line_i.
template <class T>
KOKKOS_INLINE_FUNCTION void add_panels(Lines<T> const& lines, Index panel_lines, T const* y,
                                       PanelWalk const& walk, VectorStack<T> const& stack) {
  constexpr int most = most_lines_per_step;
  static_assert(most == summation::min_panel_lines);
  Index const panels = summation::ceil_div(lines.count, panel_lines);
  Index p = 0;
  if constexpr (backends::host::avx512::compiled) {
    if (panel_lines == most && walk.lines_per_step == most && backends::host::avx512::available()) {
      Index const whole = lines.count / most;
      if (walk.pairs) {
        // Pairs are the vectors of another stack, in the same levels.
        p = whole / 2 * 2;
        backends::host::avx512::add_panels<2>(lines.data, lines.leading, p / 2, y, stack,
                                              lines.length);
      } else {
        p = whole;
        backends::host::avx512::add_panels<1>(lines.data, lines.leading, p, y, stack, lines.length);
      }
    }
  }
  for (; p < panels; ++p) {
    Index const first = p * panel_lines;
    Index const last = Kokkos::min(lines.count, first + panel_lines);
    // Reaches its loop sooner.
    if (walk.lines_per_step == most && last - first == most) {
      add_lines<most>(lines.line(first), lines.leading, y + first, static_cast<T const*>(nullptr),
                      stack.joined(p), lines.length);
      continue;
    }
    if (walk.lines_per_step == 1) {
      add_one_by_one(lines.from(first, last - first), y + first, stack, p);
      continue;
    }
    auto const add = [&](auto count, Index block) {
      add_to_panel<count()>(NextStep<T>{lines}, lines, block, first, last, y + block, stack, p, 0,
                            lines.length);
    };
    for_line_blocks<most>(walk.lines_per_step, first, last, add);
  }
  stack.finish(panels, 0, lines.length);
}

/// stack(c)'s level 0 = the sum over lines of y(c)[i] * line_i.
template <class T, class Columns>
KOKKOS_INLINE_FUNCTION void add_panels_of_block(Columns const& columns, Lines<T> const& lines,
                                                Index panel_lines, auto const& y,
                                                auto const& stack) {
  Index const panels = summation::ceil_div(lines.count, panel_lines);
  for (Index p = 0; p < panels; ++p) {
    Index const first = p * panel_lines;
    Index const last = Kokkos::min(lines.count, first + panel_lines);
    for_line_blocks<most_lines_per_step>(most_lines_per_step, first, last,
                                         [&](auto count, Index block) {
                                           add_to_panels_of_block<count()>(
                                               columns, NextStep<T>{lines}, lines, block, first,
                                               last, [&](int c) { return y(c) + block; }, stack, p);
                                         });
  }
  for (int c = 0; c < columns.count(); ++c) stack(c).finish(panels, 0, lines.length);
}

}  // namespace tessera::detail
