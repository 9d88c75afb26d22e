// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/avx512.hpp>
#include <tessera/detail/ahead.hpp>
#include <tessera/detail/lines.hpp>
#include <tessera/detail/static_for.hpp>

/// Sums over lines in the canonical order, for one thread that owns all columns it was given.
namespace tessera::detail {

/// Columns handled between two visits of the same line, where nothing is asked for.
inline constexpr Index columns_of_merge = 4096;

/// Columns handled between two visits of the same line: what is being added stays in the fastest
/// cache, or, where other lines are asked for meanwhile, memory is not asked for too much at a
/// time. Fused ATAX over two OpenBLAS gemv, 2 threads of Zen 5, with 1 | 2 | 4 | 16 KiB asked for
/// at a time: 16384 x 16384 1.82 1.69 1.65 1.66; 65536 x 4096 1.78 1.79 1.70 1.63,
/// double 1.73 1.59 1.57 1.48; 262144 x 1024 1.96 1.97 1.96 1.95; 4096 x 65536 1.82 1.80 1.79 1.67.
template <class T>
KOKKOS_INLINE_FUNCTION Index columns_per_chunk(NextStep<T> const& next) {
  return next.limit > 0 ? 1024 / static_cast<Index>(sizeof(T)) : columns_of_merge;
}

/// sums[j] = chain over `Count` lines, `leading` apart, of y[r] * line_r[j], j in [0, width); the
/// chain starts from +0 if `Fresh`, else from sums[j]. Or, if `Merge`, below[j] += that chain: a
/// subtree is complete, and sums are left as they are.
///
/// Not a part of its caller: among the loops of all numbers of lines there, a panel of eight lines
/// of 1 KiB took a sixth longer (256 x 256, Aᵀ·b in a thread of Zen 4: 75 GB/s, 84 so).
template <int Count, bool Fresh, bool Merge, class T>
__attribute__((noinline)) KOKKOS_FUNCTION void add_lines_by_packs(T const* lines, Index leading,
                                                                  T const* y,
                                                                  T* KOKKOS_RESTRICT sums,
                                                                  T* KOKKOS_RESTRICT below,
                                                                  Index width) {
  PerLine<T const * KOKKOS_RESTRICT, Count> line;
  for (int r = 0; r < Count; ++r) line[r] = lines + r * leading;
  for (Index j = 0; j < width; ++j) {
    T sum = Fresh ? T(0) : sums[j];
    static_for<Count>([&](auto r) __attribute__((always_inline)) {
      sum = Kokkos::fma(y[r()], line[r()][j], sum);
    });
    if constexpr (Merge) {
      below[j] += sum;
    } else {
      sums[j] = sum;
    }
  }
}

/// The same by what the processor has.
template <int Count, bool Fresh, bool Merge, class T>
KOKKOS_INLINE_FUNCTION void add_lines(T const* lines, Index leading, T const* y, T* sums, T* below,
                                      Index width) {
  if constexpr (backends::host::avx512::compiled) {
    if (backends::host::avx512::available()) {
      return backends::host::avx512::add_lines<Count, Fresh, Merge>(lines, leading, y, sums, below,
                                                                    width);
    }
  }
  add_lines_by_packs<Count, Fresh, Merge>(lines, leading, y, sums, below, width);
}

/// a[j] += b[j] for j in [0, width).
template <class T>
KOKKOS_INLINE_FUNCTION void add_vector(T* KOKKOS_RESTRICT a, T const* KOKKOS_RESTRICT b,
                                       Index width) {
  for (Index j = 0; j < width; ++j) a[j] += b[j];
}

/// The adjacent-pair tree over vectors that arrive in order: a binary counter of finished subtrees.
/// Level 0 is where the result will be; the other levels are scratch.
template <class T>
struct VectorStack {
  T* bottom;    // (pitch)
  T* above;     // (levels - 1, pitch)
  Index pitch;  // distance between levels

  KOKKOS_INLINE_FUNCTION T* level(int l) const { return l == 0 ? bottom : above + (l - 1) * pitch; }
  /// Where vector number `index` is to be written.
  KOKKOS_INLINE_FUNCTION static int level_of(Index index) {
    return Kokkos::popcount(static_cast<std::uint64_t>(index));
  }
  /// After vector number `index` was written: merges the subtrees that it completes, in columns
  /// [begin, end).
  KOKKOS_INLINE_FUNCTION void merge(Index index, Index begin, Index end) const {
    int l = level_of(index);
    for (; (index & 1) != 0; index >>= 1, --l) {
      add_vector(level(l - 1) + begin, level(l) + begin, end - begin);
    }
  }
  /// After the last of `count` vectors: merges what is left into level 0.
  KOKKOS_INLINE_FUNCTION void finish(Index count, Index begin, Index end) const {
    for (int l = level_of(count) - 1; l > 0; --l) {
      add_vector(level(l - 1) + begin, level(l) + begin, end - begin);
    }
  }
  /// Levels beside level 0 that a stack for `count` vectors needs.
  static constexpr Index levels_above(Index count) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count))) - 1;
  }
};

/// Calls body(StaticInt<N>, first_of_block) for consecutive blocks of N = `step` lines of
/// [first, last), and of the smaller powers of two for what remains; `step` is a power of two up to
/// `Most`.
template <int Most, class Body>
KOKKOS_INLINE_FUNCTION void for_line_blocks(int step, Index first, Index last, Body const& body) {
  if (step >= Most) {
    for (; first + Most <= last; first += Most) body(StaticInt<Most>{}, first);
  }
  if constexpr (Most > 1) {
    if (first < last) for_line_blocks<Most / 2>(step, first, last, body);
  }
}

/// The most lines side by side that a tuning can ask for.
inline constexpr int most_lines_per_step = 8;

/// Adds lines [block, block + Count) to the panel [first, last) that is number `index` of its
/// stack, in columns [begin, end); with the panel's last lines, merges the subtrees that it
/// completes. Asks `next` for as many lines meanwhile.
template <int Count, class T>
KOKKOS_INLINE_FUNCTION void add_to_panel(NextStep<T> const& next, Lines<T> const& lines,
                                         Index block, Index first, Index last, T const* y,
                                         VectorStack<T> const& stack, Index index, Index begin,
                                         Index end) {
  Index const chunk = columns_per_chunk(next);
  int const level = VectorStack<T>::level_of(index);
  T* const sums = stack.level(level);
  // The first merge has no pass of its own. Aᵀ·b over OpenBLAS, 2 threads of Zen 4, with such a
  // pass | without: 1000 x 1000 0.99 1.03, double 1.09 1.16; 400 x 4000 0.74 0.79, double
  // 0.93 1.00; 128 x 16384 0.78 0.85; 1400 x 1400 0.90 0.94; without AVX-512, 1000 x
  // 1000 1.02 1.06, double 1.08 1.16.
  bool const merges = block + Count == last && (index & 1) != 0;
  T* const below = stack.level(merges ? level - 1 : level);
  auto const add = [&](auto fresh, auto merge, Index j, Index chunk_end) {
    add_lines<Count, fresh() != 0, merge() != 0>(lines.line(block) + j, lines.leading, y,
                                                 sums + (j - begin), below + (j - begin),
                                                 chunk_end - j);
  };
  for (Index j = begin; j < end; j += chunk) {
    Index const chunk_end = j + chunk < end ? j + chunk : end;
    for (int r = 0; r < Count; ++r) next.fetch(r, j, chunk_end - j);
    if (block == first) {
      merges ? add(StaticInt<1>{}, StaticInt<1>{}, j, chunk_end)
             : add(StaticInt<1>{}, StaticInt<0>{}, j, chunk_end);
    } else {
      merges ? add(StaticInt<0>{}, StaticInt<1>{}, j, chunk_end)
             : add(StaticInt<0>{}, StaticInt<0>{}, j, chunk_end);
    }
    if (merges) stack.merge(index >> 1, j - begin, chunk_end - begin);
  }
}

/// Adds a panel of most_lines_per_step lines, number `index` of its stack, and merges the subtrees
/// that it completes.
template <class T>
KOKKOS_INLINE_FUNCTION void add_panel(Lines<T> const& panel, T const* y,
                                      VectorStack<T> const& stack, Index index) {
  constexpr int count = most_lines_per_step;
  int const level = VectorStack<T>::level_of(index);
  for (Index j = 0; j < panel.length; j += columns_of_merge) {
    Index const end = Kokkos::min(panel.length, j + columns_of_merge);
    T const* const from = panel.data + j;
    T* const sums = stack.level(level) + j;
    if ((index & 1) == 0) {
      add_lines<count, true, false>(from, panel.leading, y, sums, sums, end - j);
    } else {
      T* const below = stack.level(level - 1) + j;
      add_lines<count, true, true>(from, panel.leading, y, sums, below, end - j);
      stack.merge(index >> 1, j, end);
    }
  }
}

/// The same for a run of panels_at_once such panels, number `index` of such runs, with AVX-512.
template <class T>
KOKKOS_INLINE_FUNCTION void add_run_of_panels(Lines<T> const& run, T const* y,
                                              VectorStack<T> const& stack, Index index) {
  int const level = VectorStack<T>::level_of(index);
  for (Index j = 0; j < run.length; j += columns_of_merge) {
    Index const end = Kokkos::min(run.length, j + columns_of_merge);
    T const* const from = run.data + j;
    if ((index & 1) == 0) {
      backends::host::avx512::add_panels<false>(from, run.leading, y, stack.level(level) + j,
                                                end - j);
    } else {
      backends::host::avx512::add_panels<true>(from, run.leading, y, stack.level(level - 1) + j,
                                               end - j);
      stack.merge(index >> 1, j, end);
    }
  }
}

/// sums[j] = chain over `count` lines, `leading` apart, of y[r] * line_r[j], j in [0, width): lines
/// are read in the order in which they lie.
template <class T>
__attribute__((noinline)) KOKKOS_FUNCTION void add_one_by_one(T const* lines, Index leading,
                                                              Index count, T const* y,
                                                              T* KOKKOS_RESTRICT sums,
                                                              Index width) {
  if constexpr (backends::host::avx512::compiled) {
    if (backends::host::avx512::available() &&
        backends::host::avx512::add_short_lines(lines, leading, count, y, sums, width)) {
      return;
    }
  }
  for (Index j = 0; j < width; ++j) sums[j] = Kokkos::fma(y[0], lines[j], T(0));
  for (Index r = 1; r < count; ++r) {
    T const factor = y[r];
    T const* KOKKOS_RESTRICT const line = lines + r * leading;
    for (Index j = 0; j < width; ++j) sums[j] = Kokkos::fma(factor, line[j], sums[j]);
  }
}

/// How a thread goes over panels.
struct PanelWalk {
  int lines_per_step;
  bool runs = false;  ///< with AVX-512: panels_at_once of them together, where they are short
};

/// Level 0 of the stack = the sum over lines of y[i] * line_i, in panels of `panel_lines`.
template <class T>
KOKKOS_INLINE_FUNCTION void add_panels(Lines<T> const& lines, Index panel_lines, T const* y,
                                       PanelWalk const& walk, VectorStack<T> const& stack) {
  static_assert(most_lines_per_step == summation::min_panel_lines);
  constexpr int at_once = backends::host::avx512::panels_at_once;
  Index const panels = summation::ceil_div(lines.count, panel_lines);
  Index p = 0;
  if constexpr (backends::host::avx512::compiled) {
    if (walk.runs && panel_lines == summation::min_panel_lines) {
      for (; (p + at_once) * panel_lines <= lines.count; p += at_once) {
        Index const first = p * panel_lines;
        add_run_of_panels(lines.from(first, at_once * panel_lines), y + first, stack, p / at_once);
      }
    }
  }
  for (; p < panels; ++p) {
    Index const first = p * panel_lines;
    Index const last = Kokkos::min(lines.count, first + panel_lines);
    if (walk.lines_per_step == most_lines_per_step && last - first == most_lines_per_step) {
      // What follows does this as well, and takes an eighth longer to get to its loop.
      add_panel(lines.from(first, last - first), y + first, stack, p);
      continue;
    }
    if (walk.lines_per_step == 1) {
      T* const sums = stack.level(VectorStack<T>::level_of(p));
      add_one_by_one(lines.line(first), lines.leading, last - first, y + first, sums, lines.length);
      stack.merge(p, 0, lines.length);
      continue;
    }
    auto const add = [&](auto count, Index block) {
      add_to_panel<count()>(NextStep<T>{lines}, lines, block, first, last, y + block, stack, p, 0,
                            lines.length);
    };
    for_line_blocks<most_lines_per_step>(walk.lines_per_step, first, last, add);
  }
  stack.finish(panels, 0, lines.length);
}

}  // namespace tessera::detail
