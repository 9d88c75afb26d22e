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
struct FusedTilesPlan {
  summation::Panels panels;  ///< panels of a tile's part of B
  Index width;               ///< elements of a tile's lines
  Index tiles;
  Index tiles_per_team;
  Index groups;
  int columns;

  FusedTilesPlan(Lines<T> const& lines, FusedTilesTuning const& tuning, std::size_t max_scratch,
                 int columns_of_block = 1)
      : panels(lines.panels()), columns(columns_of_block) {
    Index const segments = summation::segments<T>(lines.length);
    Index segments_per_tile = group_size(tuning.segments_per_tile, segments);
    for (;; segments_per_tile /= 2) {
      width = segments_per_tile * summation::segment<T>;
      if (segments_per_tile == 1 || scratch_bytes<T>(sum_scratch()) <= max_scratch / 2) break;
    }
    tiles = summation::ceil_div(lines.length, width);
    tiles_per_team = group_size(tuning.tiles_per_team, tiles);
    while (tiles_per_team > 1 && scratch_bytes<T>(scratch(lines)) > max_scratch) {
      tiles_per_team /= 2;
    }
    groups = summation::ceil_div(tiles, tiles_per_team);
  }

  [[nodiscard]] Index sum_scratch() const {
    return columns * (1 + VectorStack<T>::levels_above(panels.count)) * width;
  }
  [[nodiscard]] Index workspace(Lines<T> const& lines) const {
    return groups * columns * lines.count;
  }
  [[nodiscard]] Index scratch(Lines<T> const& lines) const {
    return sum_scratch() + VectorStack<T>::levels_above(tiles_per_team) * columns * lines.count;
  }
};

/// Lines per dot product; 1, 2 and 8 are slower.
inline constexpr int lines_per_tile_dot = 4;

template <class T, class Factor, class Columns>
struct FusedTiles {
  Lines<T> lines;
  InputOf<T, Columns> x;
  OutputOf<T, Columns> y;
  PartialVectors<T, OutputOf<T, Columns>> partials;
  FusedTilesPlan<T> plan;
  int lines_per_step;
  Index sum_scratch;
  Factor factor;
  Columns columns;

  KOKKOS_FUNCTION void operator()(HostTeam<T> const& team) const {
    Index const group = team.league_rank;
    T* const sB = team.scratch;  // (1 + levels, columns, width)
    Index const pitch = columns.count() * plan.width;
    VectorStack<T> const parts_of_y{sB, sB + pitch, pitch};
    VectorStack<T> const stack{partials.of(group), sB + sum_scratch, columns.count() * lines.count};
    Index const first_tile = group * plan.tiles_per_team;
    Index const tiles = Kokkos::min(plan.tiles_per_team, plan.tiles - first_tile);
    for (Index t = 0; t < tiles; ++t) {
      Index const begin = (first_tile + t) * plan.width;
      Index const width = Kokkos::min(plan.width, lines.length - begin);
      Lines<T> const tile{lines.data + begin, lines.count, width, lines.leading};
      for (int c = 0; c < columns.count(); ++c) {
        VectorStack<T> const part_of_y = parts_of_y.from(c * plan.width);
        add_panels(tile, plan.panels.lines, column_of(x, c), {lines_per_step}, part_of_y);
        T* const part = part_of_y.bottom;
        for (Index i = 0; i < width; ++i) {
          T const value = part[i] + T(0);
          column_of(y, c).set(begin + i, value);
          part[i] = factor(begin + i, value);
        }
        T* const part_of_out = stack.level(VectorStack<T>::level_of(t)) + c * lines.count;
        auto const multiply = [&](auto count, Index block) {
          dot_lines<count()>(tile, block, part, 0, width, Walk{.in_cache = true},
                             {part_of_out + block, 1});
        };
        for_line_blocks<lines_per_tile_dot>(lines_per_tile_dot, 0, tile.count, multiply);
      }
      stack.merge(t, 0, stack.pitch);
    }
    stack.finish(tiles, 0, stack.pitch);
    partials.group_is_complete();
  }
};

/// Reads tiles again from cache.
template <class Exec, class T, class Factor, class Columns>
void fused_tiles(Exec const& exec, Label const& label, Lines<T> const& lines, InputOf<T, Columns> x,
                 OutputOf<T, Columns> y, PartialVectors<T, OutputOf<T, Columns>> const& partials,
                 FusedTilesPlan<T> const& plan, FusedTilesTuning const& tuning,
                 Factor const& factor, Columns const& columns) {
  for_each_team<T>(
      exec, label, plan.groups, plan.scratch(lines),
      FusedTiles<T, Factor, Columns>{lines, x, y, partials, plan, tuning.lines_per_step,
                                     plan.sum_scratch(), factor, columns},
      lines.bytes());
  if (plan.groups > 1 && !partials.last_team_combines()) {
    combine_vectors(exec, label.combine, partials);
  }
}

}  // namespace tessera::detail
