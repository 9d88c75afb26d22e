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

/// Sums over lines in the canonical order, for one thread that owns all columns it was given.
namespace tessera::detail {

/// Columns handled between two visits of the same subtree: what is being added stays in the fastest
/// cache.
inline constexpr Index columns_of_merge = 4096;

/// Columns handled between two visits of the same line, where `next` asks for other lines
/// meanwhile: memory is not asked for too much at a time. Fused ATAX over two OpenBLAS gemv, 2
/// threads of Zen 5, with 1 | 2 | 4 | 16 KiB asked for at a time: 16384 x 16384 1.82 1.69 1.65
/// 1.66; 65536 x 4096 1.78 1.79 1.70 1.63, double 1.73 1.59 1.57 1.48; 262144 x 1024 1.96 1.97 1.96
/// 1.95; 4096 x 65536 1.82 1.80 1.79 1.67.
template <class T>
KOKKOS_INLINE_FUNCTION Index columns_per_chunk(NextStep<T> const& next, Index columns) {
  return next.limit > 0 ? 1024 / static_cast<Index>(sizeof(T)) : columns;
}

/// sums[j] = chain over `Count` lines, `leading` apart, of y[r] * line_r[j], j in [0, width); the
/// chain starts from +0 if `Fresh`, else from sums[j]. Or, if `Merge`, sums[j] += that chain, which
/// starts, if not `Fresh`, from begun[j].
///
/// Not a part of its caller: among the loops of all numbers of lines there, a panel of eight lines
/// of 1 KiB took a sixth longer (256 x 256, Aᵀ·b in a thread of Zen 4: 75 GB/s, 84 so).
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

/// The chain over `Count` lines, `leading` apart, of y[r] * line_r[j], j in [0, width), which is
/// `joined`; it starts from +0, or, where it is `begun`, from begun[j], which is where it stays if
/// no subtree waits for it.
template <int Count, class T>
KOKKOS_INLINE_FUNCTION void add_lines(T const* lines, Index leading, T const* y, T const* begun,
                                      Joined<T> const& joined, Index width) {
  if constexpr (backends::host::avx512::compiled) {
    if (backends::host::avx512::available()) {
      return backends::host::avx512::add_lines<Count>(lines, leading, y, begun, joined, width);
    }
  }
  // The first subtree is joined in the same pass. Aᵀ·b over OpenBLAS, 2 threads of Zen 4, with a
  // pass of its own | without: 1000 x 1000 1.02 1.06, double 1.08 1.16.
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

/// Adds lines [block, block + Count) to the panel [first, last) that is number `index` of its
/// stack, in columns [begin, end); the panel's last lines join the subtrees that it completes. Asks
/// `next` for as many lines meanwhile.
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

/// The same of all elements of the lines for each column of a block, with factors y(c) and a stack
/// stack(c). What the first has brought into the first cache the others find there.
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

/// The chain over `lines`, line i times y[i], is vector number `index` of the stack: lines are read
/// in the order in which they lie.
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

/// How a thread goes over panels.
struct PanelWalk {
  int lines_per_step;
  bool pairs = false;  ///< with AVX-512: two panels together
};

/// Level 0 of the stack = the sum over lines of y[i] * line_i, in panels of `panel_lines`.
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
        // Pairs are vectors of a stack of their own, which has the levels of the one of panels.
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
    if (walk.lines_per_step == most && last - first == most) {
      // What follows does this as well, and takes an eighth longer to get to its loop.
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

/// The same for each column of a block, panel by panel: level 0 of stack(c) = the sum over lines of
/// y(c)[i] * line_i.
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
