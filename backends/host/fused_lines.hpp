// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/combine.hpp>
#include <tessera/backends/host/launch.hpp>
#include <tessera/backends/host/panels.hpp>
#include <tessera/backends/host/segment.hpp>
#include <tessera/kernels/factor.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/order/blocks.hpp>
#include <tessera/tuning.hpp>

namespace tessera::detail {

template <class T>
struct HostFusedLinesPlan {
  summation::Panels panels;
  Index panels_per_team;
  Index groups;
  int columns;

  HostFusedLinesPlan(Lines<T> const& lines, FusedLinesTuning const& tuning, std::size_t max_scratch,
                     int columns_of_block = 1)
      : panels(lines.panels()),
        panels_per_team(group_size(tuning.panels_per_team, panels.count)),
        columns(columns_of_block) {
    while (scratch_bytes<T>(scratch(lines)) > max_scratch) panels_per_team /= 2;
    groups = summation::ceil_div(panels.count, panels_per_team);
  }

  /// Scalars of all teams.
  [[nodiscard]] Index workspace(Lines<T> const& lines) const {
    return groups * columns * lines.length;
  }
  /// Scalars of one team.
  [[nodiscard]] Index scratch(Lines<T> const& lines) const {
    return VectorStack<T>::levels_above(panels_per_team) * columns * lines.length;
  }
};

struct LinesInMemory {
  KOKKOS_INLINE_FUNCTION static Index scratch() { return 0; }
  KOKKOS_INLINE_FUNCTION static Index at_a_time(Index panel_lines) { return panel_lines; }
  template <class T>
  static Walk walk_of(Lines<T> const& lines) {
    return detail::walk_of(lines);
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION Lines<T> operator()(Lines<T> const& all, Index first, Index last,
                                             T* /*scratch*/) const {
    return {all.line(first), last - first, all.length, all.leading};
  }
};

template <class T, class Source, class Factor, class Columns>
struct FusedLines {
  Lines<T> lines;
  Source source;
  InputOf<T, Columns> x;
  OutputOf<T, Columns> y;
  PartialVectors<T, OutputOf<T, Columns>> partials;
  HostFusedLinesPlan<T> plan;
  FusedLinesTuning tuning;
  Factor factor;
  Index scratch;
  Walk walk;
  Columns columns;

  KOKKOS_FUNCTION void operator()(HostTeam<T> const& team) const {
    Index const group = team.league_rank;
    VectorStack<T> const stacks{partials.of(group), team.scratch, columns.count() * lines.length};
    auto const stack = [&](int c) { return stacks.from(c * lines.length); };
    Index const first_panel = group * plan.panels_per_team;
    Index const panels = Kokkos::min(plan.panels_per_team, plan.panels.count - first_panel);
    for (Index p = 0; p < panels; ++p) {
      Index const first = (first_panel + p) * plan.panels.lines;
      Index const last = Kokkos::min(lines.count, first + plan.panels.lines);
      Index const at_a_time = source.at_a_time(plan.panels.lines);
      for (Index begin = first; begin < last; begin += at_a_time) {
        Lines<T> const some =
            source(lines, begin, Kokkos::min(last, begin + at_a_time), team.scratch + scratch);
        auto const step = [&](auto count, Index block) {
          PerLine<PerLine<T, count()>, Columns::most> values;
          if (Columns::most > 1 || tuning.dot_side_by_side) {
            dot_lines_of_block<count()>(columns, some, block, x, 0, lines.length, walk,
                                        [&](int c) { return OutputVector<T>{values[c], 1}; });
          } else {
            for (int r = 0; r < count(); ++r) {
              dot_lines<1>(some, block + r, column_of(x, 0), 0, lines.length, walk,
                           {values[0] + r, 1});
            }
          }
          for (int c = 0; c < columns.count(); ++c) {
            for (int r = 0; r < count(); ++r) {
              column_of(y, c).set(begin + block + r, values[c][r]);
              values[c][r] = factor(begin + block + r, values[c][r]);
            }
          }
          NextStep<T> const next{lines, begin + block + count(), walk.of_next};
          add_to_panels_of_block<count()>(
              columns, next, some, block, first - begin, last - begin,
              [&](int c) -> T const* { return values[c]; }, stack, p);
        };
        for_line_blocks<most_lines_per_step>(tuning.lines_per_step, 0, some.count, step);
      }
    }
    stacks.finish(panels, 0, stacks.pitch);
    partials.group_is_complete();
  }
};

/// Reads lines again from cache.
template <class Exec, class T, class Source, class Factor, class Columns>
void fused_lines(Exec const& exec, Label const& label, Lines<T> const& lines, Source const& source,
                 InputOf<T, Columns> x, OutputOf<T, Columns> y,
                 PartialVectors<T, OutputOf<T, Columns>> const& partials,
                 HostFusedLinesPlan<T> const& plan, FusedLinesTuning const& tuning,
                 Factor const& factor, Columns const& columns) {
  Index const scratch = plan.scratch(lines);
  for_each_team<T>(
      exec, label, plan.groups, scratch + source.scratch(),
      FusedLines<T, Source, Factor, Columns>{lines, source, x, y, partials, plan, tuning, factor,
                                             scratch, source.walk_of(lines), columns},
      lines.bytes());
  if (plan.groups > 1 && !partials.last_team_combines()) {
    combine_vectors(exec, label.combine, partials);
  }
}

}  // namespace tessera::detail
