// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/avx512.hpp>
#include <tessera/backends/host/dot.hpp>
#include <tessera/backends/host/panels.hpp>
#include <tessera/backends/host/segment.hpp>
#include <tessera/backends/host/widen.hpp>
#include <tessera/order/narrow.hpp>
#include <tessera/order/static_for.hpp>

/// Steps along narrow lines, `step` lines at a time. For one vector, elements are widened in
/// registers. For a block, a thread widens pieces of the lines into its L1 cache, where all columns
/// read them.
namespace tessera::detail {

/// Prefetches so many elements ahead of a walk along `count` lines at a time; see Ahead.
template <class T>
class AheadOfNarrow {
 public:
  AheadOfNarrow() = default;
  KOKKOS_INLINE_FUNCTION AheadOfNarrow(NarrowLines<T> const& lines, Index first, int count,
                                       Index begin, Index end)
      : lines_(&lines),
        size_(static_cast<Index>(element_bytes(lines.data.storage))),
        near_line_(first),
        far_line_(first + count),
        begin_(begin) {
    constexpr Index best = 8 * 1024;
    Index const distance = best / size_;
    Index const span = end - begin;
    if (distance < span) {
      near_ = distance;
      far_ = distance - span;
      turn_ = span - distance;
    } else {
      far_line_ = first + summation::ceil_div(distance, span) * count;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void fetch(int r, Index j, Index length) const {
    if (lines_ == nullptr) return;
    bool const is_near = j < turn_;
    Index const line = (is_near ? near_line_ : far_line_) + r;
    if (line >= lines_->count) return;
    unsigned char const* const from =
        (lines_->line(line) + (begin_ + j + (is_near ? near_ : far_))).bytes;
    for (Index k = 0; k < length * size_; k += 64) backends::host::prefetch(from + k);
  }

 private:
  NarrowLines<T> const* lines_ = nullptr;
  Index size_ = 1;
  Index near_line_ = 0;
  Index far_line_ = 0;
  Index begin_ = 0;
  Index near_ = 0;
  Index far_ = 0;
  Index turn_ = 0;
};

/// Not inlined: several kernels share it.
template <int Count, Storage S, class T>
__attribute__((noinline)) KOKKOS_FUNCTION void dot_stored_lines(
    Lines<T, backends::host::StoredAs<S, T>> const& lines, Index first, T const* x,
    AheadOfNarrow<T> const& next, T* values) {
  dot_lines_by_packs<Count, 2>(lines, first, x, 0, lines.length, next, OutputVector<T>{values, 1});
}

/// What a pass prefetches of the next step.
enum class Fetch { all, half, nothing };

template <class T, class Columns>
struct NarrowSteps {
  NarrowLines<T> lines;
  Walk walk;
  Columns columns;

  static constexpr Index step = most_lines_per_step;
  /// Two segments of `step` lines are half of a small L1 cache.
  static constexpr Index piece = 2 * summation::segment<T>;
  /// Pieces do not map to the same sets of L1.
  static constexpr Index pitch = piece + 64 / static_cast<Index>(sizeof(T));
  static constexpr Index scratch = Columns::most == 1 ? 0 : step * pitch;

  NarrowSteps(NarrowLines<T> const& all, Columns const& of_block)
      : lines(all),
        walk{.in_cache = true, .avx512 = backends::host::avx512::available()},
        columns(of_block) {}

  struct Range {
    Index first;  ///< lines
    Index last;
    Index begin;  ///< elements
    Index end;
  };
  struct Panel {
    Index first;
    Index last;
    Index number;  ///< in its group
  };

  /// set(c, r, product of line range.first + r and x(c)); x begins with element range.begin.
  KOKKOS_INLINE_FUNCTION void multiply(Range const& range, Fetch fetch,
                                       InputOf<T, Columns> const& x, T* sLines,
                                       auto const& set) const {
    if constexpr (Columns::most == 1) {
      // Two lines at a time are walked forward.
      constexpr int most = 2;
      with_stored(range, [&](auto const& some) {
        for_line_blocks<most>(most, 0, some.count, [&](auto count, Index block) {
          AheadOfNarrow<T> const next =
              fetch == Fetch::nothing
                  ? AheadOfNarrow<T>()
                  : AheadOfNarrow<T>(lines, range.first + block, most, range.begin, range.end);
          PerLine<T, count()> values;
          dot_stored_lines<count()>(some, block, x, next, values);
          for (int r = 0; r < count(); ++r) set(0, block + r, values[r]);
        });
      });
    } else {
      PerLine<PerLine<PairTree<T>, step>, Columns::most> trees;
      for_pieces(range, fetch, sLines, [&](Lines<T> const& some, Index j) {
        InputVectors<T> const from{x.data + j, x.pitch};
        for_blocks(some, [&](auto count, Index block) {
          PerLine<PerLine<T, count()>, Columns::most> sums;
          dot_lines_of_block<count()>(columns, some, block, from, 0, some.length, walk,
                                      [&](int c) { return OutputVector<T>{sums[c], 1}; });
          for (int c = 0; c < columns.count(); ++c) {
            for (int r = 0; r < count(); ++r) trees[c][block + r].push(sums[c][r]);
          }
        });
      });
      for (int c = 0; c < columns.count(); ++c) {
        for (Index r = 0; r < range.last - range.first; ++r) set(c, r, trees[c][r].sum());
      }
    }
  }

  /// stack(c) += the lines times y(c), which begins with line range.first. stack(c) begins with
  /// element range.begin.
  KOKKOS_INLINE_FUNCTION void add(Panel const& panel, Range const& range, Fetch fetch,
                                  auto const& y, auto const& stack, T* sLines) const {
    Index const before = panel.first - range.first;
    Index const end = panel.last - range.first;
    if constexpr (Columns::most == 1) {
      with_stored(range, [&](auto const& some) {
        NextPieces const next{*this, range, fetch};
        for_blocks(some, [&](auto count, Index block) {
          add_stored<count()>(some, block, block == before, block + count() == end, next,
                              y(0) + block, stack(0), panel.number);
        });
      });
    } else {
      for_pieces(range, fetch, sLines, [&](Lines<T> const& some, Index j) {
        for_blocks(some, [&](auto count, Index block) {
          add_to_panels_of_block<count()>(
              columns, NextStep<T>{some}, some, block, before, end,
              [&](int c) { return y(c) + block; }, [&](int c) { return stack(c).from(j); },
              panel.number);
        });
      });
    }
  }

  /// Calls body(panel, first, last) for the steps of a group.
  KOKKOS_INLINE_FUNCTION static void for_steps(summation::Panels const& panels, Index first_panel,
                                               Index count, Index lines_of_all, auto const& body) {
    for (Index p = 0; p < count; ++p) {
      Index const first = (first_panel + p) * panels.lines;
      Panel const panel{first, Kokkos::min(lines_of_all, first + panels.lines), p};
      for (Index i = first; i < panel.last; i += step) {
        body(panel, i, Kokkos::min(panel.last, i + step));
      }
    }
  }

 private:
  /// Prefetches elements of the next step, if two steps fit a core's L2 cache.
  struct NextPieces {
    NarrowSteps const& steps;
    Range const& range;
    Fetch wanted;
    Index size = static_cast<Index>(element_bytes(steps.lines.data.storage));
    bool fits = 2 * step * (range.end - range.begin) * size <= 256 * 1024;

    /// `j` from range.begin
    KOKKOS_FORCEINLINE_FUNCTION void fetch(Index r, Index j, Index length) const {
      if (wanted == Fetch::nothing || !fits) return;
      if (wanted == Fetch::half && r >= step / 2) return;
      Index const line = range.first + r + step;
      if (line >= steps.lines.count) return;
      unsigned char const* const from = (steps.lines.line(line) + (range.begin + j)).bytes;
      for (Index k = 0; k < length * size; k += 64) backends::host::prefetch(from + k);
    }
  };

  KOKKOS_INLINE_FUNCTION static void for_blocks(auto const& some, auto const& body) {
    for_line_blocks<most_lines_per_step>(most_lines_per_step, 0, some.count, body);
  }
  template <class Body>
  KOKKOS_INLINE_FUNCTION void with_stored(Range const& range, Body const& body) const {
    with_storage(lines.data.storage, [&](auto stored) {
      using Data = backends::host::StoredAs<stored(), T>;
      auto const data = lines.line(range.first) + range.begin;
      body(Lines<T, Data>{Data{data.template elements<stored()>()}, range.last - range.first,
                          range.end - range.begin, lines.leading});
    });
  }
  /// body(widened piece, its first element from range.begin)
  template <class Body>
  KOKKOS_INLINE_FUNCTION void for_pieces(Range const& range, Fetch fetch, T* sLines,
                                         Body const& body) const {
    NextPieces const next{*this, range, fetch};
    for (Index j = 0; j < range.end - range.begin; j += piece) {
      Index const length = Kokkos::min(Index{piece}, range.end - range.begin - j);
      for (Index i = range.first; i < range.last; ++i) {
        next.fetch(i - range.first, j, length);
        backends::host::widen(lines.line(i) + (range.begin + j), length,
                              sLines + (i - range.first) * pitch);
      }
      body(Lines<T>{sLines, range.last - range.first, length, pitch}, j);
    }
  }

  /// As add_to_panel.
  template <int Count, class Data>
  KOKKOS_INLINE_FUNCTION static void add_stored(Lines<T, Data> const& some, Index block,
                                                bool begins, bool ends, NextPieces const& next,
                                                T const* y, VectorStack<T> const& stack,
                                                Index index) {
    T* const sums = stack.level(VectorStack<T>::level_of(index));
    Joined<T> const joined = ends ? stack.joined(index) : Joined<T>{sums};
    for (Index j = 0; j < some.length; j += piece) {
      Index const width = Kokkos::min(Index{piece}, some.length - j);
      for (int r = 0; r < Count; ++r) next.fetch(block + r, j, width);
      Joined<T> const to = joined.from(j);
      auto const add = [&](auto fresh, auto merge) {
        backends::host::add_stored_lines<Count, fresh() == 1, merge() == 1>(
            some.line(block) + j, some.leading, y, sums + j, to.subtree(0), width);
      };
      if (begins) {
        to.waiting == 0 ? add(StaticInt<1>{}, StaticInt<0>{}) : add(StaticInt<1>{}, StaticInt<1>{});
      } else {
        to.waiting == 0 ? add(StaticInt<0>{}, StaticInt<0>{}) : add(StaticInt<0>{}, StaticInt<1>{});
      }
      to.join_others(width);
    }
  }
};

}  // namespace tessera::detail
