// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/combine.hpp>
#include <tessera/backends/host/launch.hpp>
#include <tessera/backends/host/panels.hpp>
#include <tessera/backends/host/tuning.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/order/blocks.hpp>
#include <tessera/tuning.hpp>

namespace tessera::detail {

template <class T>
struct HostSumPlan {
  summation::Panels panels;
  Index columns_per_team;
  Index column_tiles;  ///< teams that share a line
  Index panels_per_team;
  Index groups;  ///< teams that share a column
  int columns;

  HostSumPlan(Lines<T> const& lines, SumTuning const& tuning, std::size_t max_scratch,
              int columns_of_block = 1)
      : panels(lines.panels()),
        columns_per_team(std::min(tuning.columns_per_team, lines.length)),
        column_tiles(summation::ceil_div(lines.length, columns_per_team)),
        panels_per_team(group_size(tuning.panels_per_team, panels.count)),
        columns(columns_of_block) {
    while (scratch_bytes<T>(scratch()) > max_scratch) panels_per_team /= 2;
    groups = summation::ceil_div(panels.count, panels_per_team);
  }

  [[nodiscard]] Index workspace(Lines<T> const& lines) const {
    return groups * columns * lines.length;
  }
  [[nodiscard]] Index scratch() const { return columns * scratch_of_column(); }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index scratch_of_column() const {
    return VectorStack<T>::levels_above(panels_per_team) * columns_per_team;
  }
};

template <class T, class Columns>
struct Sum {
  Lines<T> lines;
  InputOf<T, Columns> y;
  PartialVectors<T, OutputOf<T, Columns>> partials;
  HostSumPlan<T> plan;
  PanelWalk walk;
  Columns columns;

  KOKKOS_FUNCTION void operator()(HostTeam<T> const& team) const {
    Index const group = team.league_rank / plan.column_tiles;
    Index const begin = team.league_rank % plan.column_tiles * plan.columns_per_team;
    Index const end = Kokkos::min(lines.length, begin + plan.columns_per_team);
    auto const stack = [&](int c) {
      return VectorStack<T>{partials.of(group) + c * lines.length + begin,
                            team.scratch + c * plan.scratch_of_column(), plan.columns_per_team};
    };
    Index const first = group * plan.panels_per_team * plan.panels.lines;
    Index const last = Kokkos::min(lines.count, first + plan.panels_per_team * plan.panels.lines);
    Lines<T> const tile{lines.line(first) + begin, last - first, end - begin, lines.leading};
    if constexpr (Columns::most == 1) {
      add_panels(tile, plan.panels.lines, y + first, walk, stack(0));
    } else {
      add_panels_of_block(
          columns, tile, plan.panels.lines, [&](int c) { return column_of(y, c) + first; }, stack);
    }
    if (plan.column_tiles == 1) {
      partials.group_is_complete();
    } else if (plan.groups == 1) {
      for (int c = 0; c < columns.count(); ++c) {
        partials.combine(c * lines.length + begin, c * lines.length + end);
      }
    }
  }
};

template <class Exec, class T, class Columns>
void sum(Exec const& exec, Label const& label, Lines<T> const& lines, InputOf<T, Columns> y,
         PartialVectors<T, OutputOf<T, Columns>> const& partials, HostSumPlan<T> const& plan,
         int lines_per_step, Columns const& columns) {
  PanelWalk const walk{lines_per_step, lines_per_step == most_lines_per_step &&
                                           backends::host::adds_pairs_of_panels(
                                               lines.bytes(), lines.leading * Index{sizeof(T)})};
  for_each_team<T>(exec, label, plan.groups * plan.column_tiles, plan.scratch(),
                   Sum<T, Columns>{lines, y, partials, plan, walk, columns}, lines.bytes());
  if (plan.groups > 1 && (plan.column_tiles > 1 || !partials.last_team_combines())) {
    combine_vectors(exec, label.combine, partials);
  }
}

}  // namespace tessera::detail
