// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/avx512.hpp>
#include <tessera/backends/host/combine.hpp>
#include <tessera/backends/host/dot.hpp>
#include <tessera/backends/host/fused_lines.hpp>
#include <tessera/backends/host/fused_tiles.hpp>
#include <tessera/backends/host/launch.hpp>
#include <tessera/backends/host/panels.hpp>
#include <tessera/backends/host/segment.hpp>
#include <tessera/backends/host/sum.hpp>
#include <tessera/backends/host/widen.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/order/narrow.hpp>
#include <tessera/order/static_for.hpp>

/// Narrow matrices, `step` lines at a time. For one vector, kernels widen elements in registers.
/// For a block, a thread widens pieces of the lines into its L1 cache, where all columns read them.
/// Fused kernels read a step's lines again from L2.
///
/// Lines of floats or doubles have the same plans. Tunings for lines from memory do not apply.
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
      Index const length = Kokkos::min(piece, range.end - range.begin - j);
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
      Index const width = Kokkos::min(piece, some.length - j);
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

template <class T, class Columns>
struct DotOfNarrow {
  NarrowSteps<T, Columns> steps;
  InputOf<T, Columns> x;
  OutputOf<T, Columns> out;
  T* workspace;
  HostDotPlan<T> plan;

  KOKKOS_FUNCTION void operator()(HostTeam<T> const& team) const {
    NarrowLines<T> const& lines = steps.lines;
    Index const run = team.league_rank % plan.runs;
    Index const first = team.league_rank / plan.runs * plan.lines_per_team;
    Index const last = Kokkos::min(lines.count, first + plan.lines_per_team);
    Index const begin = run * plan.run_length;
    Index const end = Kokkos::min(lines.length, begin + plan.run_length);
    auto const of_run = [&](int c) {
      return plan.runs == 1
                 ? column_of(out, c)
                 : OutputVector<T>{workspace + c * lines.count * plan.runs + run, plan.runs};
    };
    for (Index i = first; i < last; i += steps.step) {
      steps.multiply({i, Kokkos::min(last, i + steps.step), begin, end}, Fetch::all, x_from(begin),
                     team.scratch, [&](int c, Index r, T value) { of_run(c).set(i + r, value); });
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION InputOf<T, Columns> x_from(Index begin) const {
    if constexpr (Columns::most == 1) {
      return x + begin;
    } else {
      return {x.data + begin, x.pitch};
    }
  }
};

template <class Exec, class T, class Columns>
void dot_of_narrow(Exec const& exec, Label const& label, NarrowLines<T> const& lines,
                   InputOf<T, Columns> x, OutputOf<T, Columns> out, T* workspace,
                   HostDotPlan<T> const& plan, Columns const& columns) {
  using Steps = NarrowSteps<T, Columns>;
  for_each_team<T>(exec, label, plan.line_blocks * plan.runs, Steps::scratch,
                   DotOfNarrow<T, Columns>{Steps(lines, columns), x, out, workspace, plan},
                   lines.bytes());
  if (plan.runs > 1) {
    combine_runs(exec, label.combine, workspace, columns.count() * lines.count, plan.runs, out);
  }
}

template <class T, class Columns>
struct SumOfNarrow {
  NarrowSteps<T, Columns> steps;
  InputOf<T, Columns> y;
  PartialVectors<T, OutputOf<T, Columns>> partials;
  HostSumPlan<T> plan;
  Index scratch;

  KOKKOS_FUNCTION void operator()(HostTeam<T> const& team) const {
    NarrowLines<T> const& lines = steps.lines;
    Index const group = team.league_rank / plan.column_tiles;
    Index const begin = team.league_rank % plan.column_tiles * plan.columns_per_team;
    Index const end = Kokkos::min(lines.length, begin + plan.columns_per_team);
    auto const stack = [&](int c) {
      return VectorStack<T>{partials.of(group) + c * lines.length + begin,
                            team.scratch + c * plan.scratch_of_column(), plan.columns_per_team};
    };
    Index const first_panel = group * plan.panels_per_team;
    Index const panels = Kokkos::min(plan.panels_per_team, plan.panels.count - first_panel);
    steps.for_steps(plan.panels, first_panel, panels, lines.count,
                    [&](auto const& panel, Index first, Index last) {
                      steps.add(
                          panel, {first, last, begin, end}, Fetch::all,
                          [&](int c) { return column_of(y, c) + first; }, stack,
                          team.scratch + scratch);
                    });
    for (int c = 0; c < steps.columns.count(); ++c) stack(c).finish(panels, 0, end - begin);
    if (plan.column_tiles == 1) {
      partials.group_is_complete();
    } else if (plan.groups == 1) {
      for (int c = 0; c < steps.columns.count(); ++c) {
        partials.combine(c * lines.length + begin, c * lines.length + end);
      }
    }
  }
};

template <class Exec, class T, class Columns>
void sum_of_narrow(Exec const& exec, Label const& label, NarrowLines<T> const& lines,
                   InputOf<T, Columns> y, PartialVectors<T, OutputOf<T, Columns>> const& partials,
                   HostSumPlan<T> const& plan, Columns const& columns) {
  using Steps = NarrowSteps<T, Columns>;
  Index const scratch = whole_words<T>(plan.scratch());
  for_each_team<T>(exec, label, plan.groups * plan.column_tiles, scratch + Steps::scratch,
                   SumOfNarrow<T, Columns>{Steps(lines, columns), y, partials, plan, scratch},
                   lines.bytes());
  if (plan.groups > 1 && (plan.column_tiles > 1 || !partials.last_team_combines())) {
    combine_vectors(exec, label.combine, partials);
  }
}

template <class T, class Factor, class Columns>
struct FusedLinesOfNarrow {
  NarrowSteps<T, Columns> steps;
  InputOf<T, Columns> x;
  OutputOf<T, Columns> y;
  PartialVectors<T, OutputOf<T, Columns>> partials;
  HostFusedLinesPlan<T> plan;
  Factor factor;
  Index scratch;

  KOKKOS_FUNCTION void operator()(HostTeam<T> const& team) const {
    NarrowLines<T> const& lines = steps.lines;
    T* const sLines = team.scratch + scratch;
    VectorStack<T> const stacks{partials.of(team.league_rank), team.scratch,
                                steps.columns.count() * lines.length};
    auto const stack = [&](int c) { return stacks.from(c * lines.length); };
    Index const first_panel = team.league_rank * plan.panels_per_team;
    Index const panels = Kokkos::min(plan.panels_per_team, plan.panels.count - first_panel);
    steps.for_steps(plan.panels, first_panel, panels, lines.count,
                    [&](auto const& panel, Index first, Index last) {
                      PerLine<PerLine<T, NarrowSteps<T, Columns>::step>, Columns::most> factors;
                      steps.multiply({first, last, 0, lines.length}, Fetch::all, x, sLines,
                                     [&](int c, Index r, T value) {
                                       column_of(y, c).set(first + r, value);
                                       factors[c][r] = factor(first + r, value);
                                     });
                      steps.add(
                          panel, {first, last, 0, lines.length}, Fetch::half,
                          [&](int c) -> T const* { return factors[c]; }, stack, sLines);
                    });
    stacks.finish(panels, 0, stacks.pitch);
    partials.group_is_complete();
  }
};

template <class Exec, class T, class Factor, class Columns>
void fused_lines_of_narrow(Exec const& exec, Label const& label, NarrowLines<T> const& lines,
                           InputOf<T, Columns> x, OutputOf<T, Columns> y,
                           PartialVectors<T, OutputOf<T, Columns>> const& partials,
                           HostFusedLinesPlan<T> const& plan, Factor const& factor,
                           Columns const& columns) {
  using Steps = NarrowSteps<T, Columns>;
  Index const scratch = whole_words<T>(plan.scratch(shape_of(lines)));
  for_each_team<T>(exec, label, plan.groups, scratch + Steps::scratch,
                   FusedLinesOfNarrow<T, Factor, Columns>{Steps(lines, columns), x, y, partials,
                                                          plan, factor, scratch},
                   lines.bytes());
  if (plan.groups > 1 && !partials.last_team_combines()) {
    combine_vectors(exec, label.combine, partials);
  }
}

template <class T, class Factor, class Columns>
struct FusedTilesOfNarrow {
  NarrowSteps<T, Columns> steps;
  InputOf<T, Columns> x;
  OutputOf<T, Columns> y;
  PartialVectors<T, OutputOf<T, Columns>> partials;
  FusedTilesPlan<T> plan;
  Index sum_scratch;
  Index scratch;
  Factor factor;

  KOKKOS_FUNCTION void operator()(HostTeam<T> const& team) const {
    NarrowLines<T> const& lines = steps.lines;
    int const columns = steps.columns.count();
    T* const sLines = team.scratch + scratch;
    T* const sB = team.scratch;  // (1 + levels, columns, width)
    Index const pitch = columns * plan.width;
    VectorStack<T> const parts_of_y{sB, sB + pitch, pitch};
    auto const part_of_y = [&](int c) { return parts_of_y.from(c * plan.width); };
    VectorStack<T> const stack{partials.of(team.league_rank), sB + sum_scratch,
                               columns * lines.count};
    Index const first_tile = team.league_rank * plan.tiles_per_team;
    Index const tiles = Kokkos::min(plan.tiles_per_team, plan.tiles - first_tile);
    for (Index t = 0; t < tiles; ++t) {
      Index const begin = (first_tile + t) * plan.width;
      Index const end = Kokkos::min(lines.length, begin + plan.width);
      steps.for_steps(plan.panels, 0, plan.panels.count, lines.count,
                      [&](auto const& panel, Index first, Index last) {
                        steps.add(
                            panel, {first, last, begin, end}, Fetch::all,
                            [&](int c) { return column_of(x, c) + first; }, part_of_y, sLines);
                      });
      for (int c = 0; c < columns; ++c) {
        part_of_y(c).finish(plan.panels.count, 0, end - begin);
        T* const part = part_of_y(c).bottom;
        for (Index i = 0; i < end - begin; ++i) {
          T const value = part[i] + T(0);
          column_of(y, c).set(begin + i, value);
          part[i] = factor(begin + i, value);
        }
      }
      T* const part_of_out = stack.level(VectorStack<T>::level_of(t));
      for (Index j = 0; j < lines.count; j += steps.step) {
        steps.multiply({j, Kokkos::min(lines.count, j + steps.step), begin, end}, Fetch::nothing,
                       parts_of_x(sB), sLines, [&](int c, Index r, T value) {
                         part_of_out[c * lines.count + j + r] = value;
                       });
      }
      stack.merge(t, 0, stack.pitch);
    }
    stack.finish(tiles, 0, stack.pitch);
    partials.group_is_complete();
  }

 private:
  KOKKOS_INLINE_FUNCTION InputOf<T, Columns> parts_of_x(T const* sB) const {
    if constexpr (Columns::most == 1) {
      return sB;
    } else {
      return {sB, plan.width};
    }
  }
};

template <class Exec, class T, class Factor, class Columns>
void fused_tiles_of_narrow(Exec const& exec, Label const& label, NarrowLines<T> const& lines,
                           InputOf<T, Columns> x, OutputOf<T, Columns> y,
                           PartialVectors<T, OutputOf<T, Columns>> const& partials,
                           FusedTilesPlan<T> const& plan, Factor const& factor,
                           Columns const& columns) {
  using Steps = NarrowSteps<T, Columns>;
  Index const scratch = whole_words<T>(plan.scratch(shape_of(lines)));
  for_each_team<T>(
      exec, label, plan.groups, scratch + Steps::scratch,
      FusedTilesOfNarrow<T, Factor, Columns>{Steps(lines, columns), x, y, partials, plan,
                                             plan.sum_scratch(), scratch, factor},
      lines.bytes());
  if (plan.groups > 1 && !partials.last_team_combines()) {
    combine_vectors(exec, label.combine, partials);
  }
}

template <class Exec, class T>
struct HostNarrowKernels {
  static constexpr int columns_at_once = most_columns;
  static bool take(NarrowLines<T> const& /*lines*/) { return true; }

  /// For plans, next to the widened pieces.
  static std::size_t scratch_left() {
    constexpr auto pieces = scratch_bytes<T>(NarrowSteps<T, SomeColumns>::scratch + 64);
    return max_scratch<Exec>() - std::min(max_scratch<Exec>(), pieces);
  }

  struct Dot : HostDotPlan<T> {
    template <class Columns = OneColumn>
    Dot(Exec const&, NarrowLines<T> const& lines, Tuning const& t, Columns const& columns = {})
        : HostDotPlan<T>(shape_of(lines), t.dot, columns.count()) {}
    [[nodiscard]] Index workspace(NarrowLines<T> const& lines) const {
      return HostDotPlan<T>::workspace(shape_of(lines));
    }
    template <class Columns>
    void run(Exec const& exec, Label const& label, NarrowLines<T> const& lines,
             InputOf<T, Columns> x, OutputOf<T, Columns> out, T* workspace,
             Columns const& columns) const {
      dot_of_narrow(exec, label, lines, x, out, workspace, *this, columns);
    }
  };
  struct Sum : HostSumPlan<T> {
    template <class Columns = OneColumn>
    Sum(Exec const&, NarrowLines<T> const& lines, Tuning const& t, Columns const& columns = {})
        : HostSumPlan<T>(shape_of(lines), t.sum, scratch_left(), columns.count()) {}
    [[nodiscard]] Index workspace(NarrowLines<T> const& lines) const {
      return HostSumPlan<T>::workspace(shape_of(lines));
    }
    template <class Columns>
    void run(Exec const& exec, Label const& label, NarrowLines<T> const& lines,
             InputOf<T, Columns> y, OutputOf<T, Columns> out, T* workspace,
             Meeting<T> const& meeting, Columns const& columns) const {
      sum_of_narrow(
          exec, label, lines, y,
          PartialVectors<T, OutputOf<T, Columns>>{
              workspace, this->groups, columns.count() * lines.length, out, meeting.arrivals},
          *this, columns);
    }
  };
  struct FusedLines : HostFusedLinesPlan<T> {
    template <class Columns = OneColumn>
    FusedLines(Exec const&, NarrowLines<T> const& lines, Tuning const& t,
               Columns const& columns = {})
        : HostFusedLinesPlan<T>(shape_of(lines), t.fused_lines, scratch_left(), columns.count()) {}
    [[nodiscard]] Index workspace(NarrowLines<T> const& lines) const {
      return HostFusedLinesPlan<T>::workspace(shape_of(lines));
    }
    [[nodiscard]] static Index exchanged(NarrowLines<T> const&) { return 0; }
    template <class Factor, class Columns>
    void run(Exec const& exec, Label const& label, NarrowLines<T> const& lines,
             InputOf<T, Columns> x, OutputOf<T, Columns> y, OutputOf<T, Columns> out, T* workspace,
             Meeting<T> const& meeting, Factor const& factor, Columns const& columns) const {
      fused_lines_of_narrow(
          exec, label, lines, x, y,
          PartialVectors<T, OutputOf<T, Columns>>{
              workspace, this->groups, columns.count() * lines.length, out, meeting.arrivals},
          *this, factor, columns);
    }
  };
  struct FusedTiles : FusedTilesPlan<T> {
    template <class Columns = OneColumn>
    FusedTiles(Exec const&, NarrowLines<T> const& lines, Tuning const& t,
               Columns const& columns = {})
        : FusedTilesPlan<T>(shape_of(lines), t.fused_tiles, scratch_left(), columns.count()) {}
    [[nodiscard]] Index workspace(NarrowLines<T> const& lines) const {
      return FusedTilesPlan<T>::workspace(shape_of(lines));
    }
    [[nodiscard]] static Index exchanged(NarrowLines<T> const&) { return 0; }
    template <class Factor, class Columns>
    void run(Exec const& exec, Label const& label, NarrowLines<T> const& lines,
             InputOf<T, Columns> x, OutputOf<T, Columns> y, OutputOf<T, Columns> out, T* workspace,
             Meeting<T> const& meeting, Factor const& factor, Columns const& columns) const {
      fused_tiles_of_narrow(
          exec, label, lines, x, y,
          PartialVectors<T, OutputOf<T, Columns>>{
              workspace, this->groups, columns.count() * lines.count, out, meeting.arrivals},
          *this, factor, columns);
    }
  };
};

}  // namespace tessera::detail
