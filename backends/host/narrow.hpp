// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/combine.hpp>
#include <tessera/backends/host/dot.hpp>
#include <tessera/backends/host/fused_lines.hpp>
#include <tessera/backends/host/fused_tiles.hpp>
#include <tessera/backends/host/launch.hpp>
#include <tessera/backends/host/narrow_steps.hpp>
#include <tessera/backends/host/sum.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/order/narrow.hpp>

/// Kernels for narrow matrices. Fused kernels read a step's lines again from L2.
///
/// Lines of floats or doubles have the same plans. Tunings for lines from memory do not apply.
namespace tessera::detail {

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
