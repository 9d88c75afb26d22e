// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/combine.hpp>
#include <tessera/backends/host/launch.hpp>
#include <tessera/backends/host/segment.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/order/blocks.hpp>
#include <tessera/tuning.hpp>

namespace tessera::detail {

template <class T>
struct HostDotPlan {
  Index lines_per_team;
  Index line_blocks;
  Index run_length;  ///< elements: whole segments, or the line
  Index runs;        ///< runs per line
  int columns;

  HostDotPlan(Lines<T> const& lines, DotTuning const& tuning, int columns_of_block = 1)
      : lines_per_team(std::min(tuning.lines_per_team, lines.count)),
        line_blocks(summation::ceil_div(lines.count, lines_per_team)),
        run_length(lines.length),
        runs(1),
        columns(columns_of_block) {
    Index const segments = summation::segments<T>(lines.length);
    if (tuning.segments_per_run != 0 && tuning.segments_per_run < segments) {
      run_length = tuning.segments_per_run * summation::segment<T>;
      runs = summation::ceil_div(lines.length, run_length);
    }
  }

  /// Scalars for the runs' sums.
  [[nodiscard]] Index workspace(Lines<T> const& lines) const {
    return runs == 1 ? 0 : columns * lines.count * runs;
  }
};

template <class T, class Columns>
struct Dot {
  Lines<T> lines;
  InputOf<T, Columns> x;
  OutputOf<T, Columns> out;
  T* workspace;
  HostDotPlan<T> plan;
  int lines_per_step;
  Walk walk;
  Columns columns;

  KOKKOS_FUNCTION void operator()(HostTeam<T> const& team) const {
    Index const run = team.league_rank % plan.runs;
    Index const first = team.league_rank / plan.runs * plan.lines_per_team;
    Index const last = Kokkos::min(lines.count, first + plan.lines_per_team);
    Index const begin = run * plan.run_length;
    Index const end = Kokkos::min(lines.length, begin + plan.run_length);
    auto const target = [&](int c) {
      return plan.runs == 1
                 ? column_of(out, c)
                 : OutputVector<T>{workspace + c * lines.count * plan.runs + run, plan.runs};
    };
    auto const multiply = [&](auto count, Index block) {
      dot_lines_of_block<count()>(columns, lines, block, x, begin, end, walk,
                                  [&](int c) { return target(c).from(block); });
    };
    Index next = first;
    if (Columns::most == 1 && lines_per_step >= backends::host::avx512::lines_of_dot) {
      next =
          dot_at_once(lines, first, last, column_of(x, 0), begin, end, walk, target(0).from(first));
    }
    for_line_blocks<most_lines_per_step>(lines_per_step, next, last, multiply);
  }
};

template <class Exec, class T, class Columns>
void dot(Exec const& exec, Label const& label, Lines<T> const& lines, InputOf<T, Columns> x,
         OutputOf<T, Columns> out, T* workspace, DotTuning const& tuning, Columns const& columns) {
  HostDotPlan<T> const plan(lines, tuning, columns.count());
  for_each_team<T>(exec, label, plan.line_blocks * plan.runs, 0,
                   Dot<T, Columns>{lines, x, out, workspace, plan, tuning.lines_per_step,
                                   walk_of(lines), columns},
                   lines.bytes());
  if (plan.runs > 1) {
    combine_runs(exec, label.combine, workspace, columns.count() * lines.count, plan.runs, out);
  }
}

}  // namespace tessera::detail
