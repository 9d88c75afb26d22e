// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/combine.hpp>
#include <tessera/backends/host/launch.hpp>
#include <tessera/backends/host/panels.hpp>
#include <tessera/backends/host/tuning.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/tuning.hpp>

namespace tessera::detail {

/// How a sum over lines is dealt to teams.
template <class T>
struct SumPlan {
  summation::Panels panels;
  Index columns_per_team;
  Index column_tiles;  ///< teams that share a line
  Index panels_per_team;
  Index groups;  ///< teams that share a column

  SumPlan(Lines<T> const& lines, SumTuning const& tuning, std::size_t max_scratch)
      : panels(lines.panels()),
        columns_per_team(std::min(tuning.columns_per_team, lines.length)),
        column_tiles(summation::ceil_div(lines.length, columns_per_team)),
        panels_per_team(group_size(tuning.panels_per_team, panels.count)) {
    while (scratch_bytes<T>(scratch()) > max_scratch) panels_per_team /= 2;
    groups = summation::ceil_div(panels.count, panels_per_team);
  }

  /// Scalars of workspace: the partial vector of each group.
  [[nodiscard]] Index workspace(Lines<T> const& lines) const { return groups * lines.length; }
  /// Scalars of scratch of a team; none for one panel a team.
  [[nodiscard]] Index scratch() const {
    return VectorStack<T>::levels_above(panels_per_team) * columns_per_team;
  }
};

/// A team has a group of panels, and the columns of a tile.
template <class T>
struct Sum {
  Lines<T> lines;
  T const* y;
  PartialVectors<T> partials;
  SumPlan<T> plan;
  PanelWalk walk;

  KOKKOS_FUNCTION void operator()(HostTeam<T> const& team) const {
    Index const group = team.league_rank / plan.column_tiles;
    Index const begin = team.league_rank % plan.column_tiles * plan.columns_per_team;
    Index const end = Kokkos::min(lines.length, begin + plan.columns_per_team);
    VectorStack<T> const stack{partials.of(group) + begin, team.scratch, plan.columns_per_team};
    Index const first = group * plan.panels_per_team * plan.panels.lines;
    Index const last = Kokkos::min(lines.count, first + plan.panels_per_team * plan.panels.lines);
    Lines<T> const tile{lines.line(first) + begin, last - first, end - begin, lines.leading};
    add_panels(tile, plan.panels.lines, y + first, walk, stack);
    if (plan.column_tiles == 1) {
      partials.group_is_complete();
    } else if (plan.groups == 1) {
      partials.combine(begin, end);
    }
  }
};

/// out[j] = sum over lines i of y[i] * line_i[j], in the canonical order.
template <class Exec, class T>
void sum(Exec const& exec, Label const& label, Lines<T> const& lines, T const* y,
         PartialVectors<T> const& partials, SumPlan<T> const& plan, int lines_per_step) {
  PanelWalk const walk{lines_per_step, lines_per_step == most_lines_per_step &&
                                           backends::host::adds_pairs_of_panels(
                                               lines.bytes(), lines.leading * Index{sizeof(T)})};
  for_each_team<T>(exec, label, plan.groups * plan.column_tiles, plan.scratch(),
                   Sum<T>{lines, y, partials, plan, walk}, lines.bytes());
  if (plan.groups > 1 && (plan.column_tiles > 1 || !partials.last_team_combines())) {
    combine_vectors(exec, label.combine, partials);
  }
}

}  // namespace tessera::detail
