// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/combine.hpp>
#include <tessera/backends/host/launch.hpp>
#include <tessera/backends/host/segment.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/tuning.hpp>

namespace tessera::detail {

/// How the dot products of all lines are dealt to teams.
template <class T>
struct DotPlan {
  Index lines_per_team;
  Index line_blocks;  ///< blocks of lines
  Index run_length;   ///< elements of a run: whole segments, or the line
  Index runs;         ///< runs of a line

  DotPlan(Lines<T> const& lines, DotTuning const& tuning)
      : lines_per_team(std::min(tuning.lines_per_team, lines.count)),
        line_blocks(summation::ceil_div(lines.count, lines_per_team)),
        run_length(lines.length),
        runs(1) {
    Index const segments = summation::segments<T>(lines.length);
    if (tuning.segments_per_run != 0 && tuning.segments_per_run < segments) {
      run_length = tuning.segments_per_run * summation::segment<T>;
      runs = summation::ceil_div(lines.length, run_length);
    }
  }

  /// Scalars of workspace: partial sums of runs.
  [[nodiscard]] Index workspace(Lines<T> const& lines) const {
    return runs == 1 ? 0 : lines.count * runs;
  }
};

/// A team has a block of lines, and a run of each.
template <class T>
struct Dot {
  Lines<T> lines;
  T const* x;
  OutputVector<T> out;
  T* workspace;
  DotPlan<T> plan;
  int lines_per_step;
  Walk walk;

  KOKKOS_FUNCTION void operator()(HostTeam<T> const& team) const {
    Index const run = team.league_rank % plan.runs;
    Index const first = team.league_rank / plan.runs * plan.lines_per_team;
    Index const last = Kokkos::min(lines.count, first + plan.lines_per_team);
    Index const begin = run * plan.run_length;
    Index const end = Kokkos::min(lines.length, begin + plan.run_length);
    OutputVector<T> const target =
        plan.runs == 1 ? out : OutputVector<T>{workspace + run, plan.runs};
    auto const multiply = [&](auto count, Index block) {
      dot_lines<count()>(lines, block, x, begin, end, walk, target.from(block));
    };
    Index next = first;
    if (lines_per_step >= backends::host::avx512::lines_of_dot) {
      next = dot_at_once(lines, first, last, x, begin, end, walk, target.from(first));
    }
    for_line_blocks<most_lines_per_step>(lines_per_step, next, last, multiply);
  }
};

/// out[i] = dot product of line i and x, in the canonical order.
template <class Exec, class T>
void dot(Exec const& exec, Label const& label, Lines<T> const& lines, T const* x,
         OutputVector<T> out, T* workspace, DotTuning const& tuning) {
  DotPlan<T> const plan(lines, tuning);
  for_each_team<T>(exec, label, plan.line_blocks * plan.runs, 0,
                   Dot<T>{lines, x, out, workspace, plan, tuning.lines_per_step, walk_of(lines)},
                   lines.bytes());
  if (plan.runs > 1) {
    combine_runs(exec, label.combine, workspace, lines.count, plan.runs, out);
  }
}

}  // namespace tessera::detail
