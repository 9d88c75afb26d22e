// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/detail/combine.hpp>
#include <tessera/detail/launch.hpp>
#include <tessera/detail/vector_stack.hpp>
#include <tessera/tuning.hpp>

namespace tessera::detail {

/// How a sum over lines is dealt to teams.
template <class T>
struct SumPlan {
  summation::Panels panels;
  Index panels_per_team;
  Index groups;        ///< teams that share a column
  Index column_tiles;  ///< teams that share a line

  SumPlan(Lines<T> const& lines, SumTuning const& tuning)
      : panels(summation::panels(lines.count, lines.length)),
        panels_per_team(
            std::min(tuning.panels_per_team,
                     static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(panels.count))))),
        groups(summation::ceil_div(panels.count, panels_per_team)),
        column_tiles(summation::ceil_div(lines.length, tuning.columns_per_team)) {}

  /// Scalars of workspace: the partial vector of each group.
  [[nodiscard]] Index workspace(Lines<T> const& lines) const { return groups * lines.length; }
  /// Scalars of scratch of a team.
  [[nodiscard]] Index scratch(Lines<T> const& lines, SumTuning const& tuning) const {
    return VectorStack<T>::levels_above(panels_per_team) *
           std::min(tuning.columns_per_team, lines.length);
  }
};

/// out[j] = sum over lines i of y[i] * line_i[j], in the canonical order.
template <class Exec, class T>
void sum(Exec const& exec, std::string const& label, Lines<T> const& lines, T const* y,
         OutputVector<T> out, T* workspace, SumTuning const& tuning) {
  SumPlan<T> const plan(lines, tuning);
  Index const scratch = plan.scratch(lines, tuning);
  HostLaunch<Exec> const launch(exec, plan.groups * plan.column_tiles, scratch_bytes<T>(scratch));
  int const level = launch.level;
  using Member = typename TeamPolicy<Exec>::member_type;
  Kokkos::parallel_for(
      label, launch.policy, KOKKOS_LAMBDA(Member const& member) {
        Index const group = member.league_rank() / plan.column_tiles;
        Index const begin = member.league_rank() % plan.column_tiles * tuning.columns_per_team;
        Index const end = Kokkos::min(lines.length, begin + tuning.columns_per_team);
        T* const partial = workspace + group * lines.length + begin;
        VectorStack<T> const stack{partial, team_scratch<T>(member, level, scratch),
                                   Kokkos::min(tuning.columns_per_team, lines.length)};
        Index const first_panel = group * plan.panels_per_team;
        Index const panels = Kokkos::min(plan.panels_per_team, plan.panels.count - first_panel);
        with_lines_per_step(tuning.lines_per_step, [&](auto step) {
          for (Index p = 0; p < panels; ++p) {
            Index const first = (first_panel + p) * plan.panels.lines;
            Index const last = Kokkos::min(lines.count, first + plan.panels.lines);
            for_line_blocks<step()>(first, last, [&](auto count, Index block) {
              PerLine<T, count()> factor;
              for (int r = 0; r < count(); ++r) factor[r] = y[block + r];
              add_to_panel<count()>(lines, block, first, last, factor, stack, p, begin, end);
            });
          }
        });
        stack.finish(panels, 0, end - begin);
        if (plan.groups == 1) {
          for (Index j = begin; j < end; ++j) out.set(j, partial[j - begin] + T(0));
        }
      });
  if (plan.groups > 1) {
    combine_vectors(exec, label + "::combine", workspace, plan.groups, lines.length, out);
  }
}

}  // namespace tessera::detail
