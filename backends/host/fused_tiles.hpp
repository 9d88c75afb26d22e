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
#include <tessera/tuning.hpp>

namespace tessera::detail {

/// How the tiles of a fused ATAX of column-major lines are dealt to teams.
template <class T>
struct FusedTilesPlan {
  summation::Panels panels;  ///< of the sum that makes a tile's part of B
  Index width;               ///< elements of each line in a tile
  Index tiles;
  Index tiles_per_team;
  Index groups;

  FusedTilesPlan(Lines<T> const& lines, FusedTilesTuning const& tuning, std::size_t max_scratch)
      : panels(lines.panels()) {
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

  /// Scalars of a tile's part of B and of the stack that makes it.
  [[nodiscard]] Index sum_scratch() const {
    return (1 + VectorStack<T>::levels_above(panels.count)) * width;
  }
  /// Scalars of workspace: the partial vector of each group.
  [[nodiscard]] Index workspace(Lines<T> const& lines) const { return groups * lines.count; }
  /// Scalars of scratch of a team.
  [[nodiscard]] Index scratch(Lines<T> const& lines) const {
    return sum_scratch() + VectorStack<T>::levels_above(tiles_per_team) * lines.count;
  }
};

/// Lines of a tile whose dot products go together. Two OpenBLAS gemv over ours, 2 threads of Zen 3,
/// with 1 | 2 | 4 | 8, the mean of two runs: 1048576 x 256 1.27 1.24 1.44 1.39, 262144 x 128 1.25
/// 1.31 1.49 1.33, double 500000 x 200 1.24 1.21 1.45 1.27.
inline constexpr int lines_per_tile_dot = 4;

/// A team has a group of tiles.
template <class T, class Factor>
struct FusedTiles {
  Lines<T> lines;
  T const* x;
  OutputVector<T> y;
  PartialVectors<T> partials;
  FusedTilesPlan<T> plan;
  int lines_per_step;
  Index sum_scratch;
  Factor factor;

  KOKKOS_FUNCTION void operator()(HostTeam<T> const& team) const {
    Index const group = team.league_rank;
    T* const sB = team.scratch;  // (1 + levels, width)
    VectorStack<T> const part_of_y{sB, sB + plan.width, plan.width};
    VectorStack<T> const stack{partials.of(group), sB + sum_scratch, lines.count};
    Index const first_tile = group * plan.tiles_per_team;
    Index const tiles = Kokkos::min(plan.tiles_per_team, plan.tiles - first_tile);
    for (Index t = 0; t < tiles; ++t) {
      Index const begin = (first_tile + t) * plan.width;
      Index const width = Kokkos::min(plan.width, lines.length - begin);
      Lines<T> const tile{lines.data + begin, lines.count, width, lines.leading};
      add_panels(tile, plan.panels.lines, x, {lines_per_step}, part_of_y);
      for (Index i = 0; i < width; ++i) {
        T const value = sB[i] + T(0);
        y.set(begin + i, value);
        sB[i] = factor(begin + i, value);
      }
      T* const part_of_out = stack.level(VectorStack<T>::level_of(t));
      auto const multiply = [&](auto count, Index block) {
        dot_lines<count()>(tile, block, sB, 0, width, Walk{.in_cache = true},
                           {part_of_out + block, 1});
      };
      for_line_blocks<lines_per_tile_dot>(lines_per_tile_dot, 0, tile.count, multiply);
      stack.merge(t, 0, tile.count);
    }
    stack.finish(tiles, 0, lines.count);
    partials.group_is_complete();
  }
};

/// y[i] = sum over lines j of x[j] * line_j[i]; out[j] = dot product of line j and factor(i, y[i]):
/// each tile is read from memory once, and from cache the second time.
template <class Exec, class T, class Factor>
void fused_tiles(Exec const& exec, Label const& label, Lines<T> const& lines, T const* x,
                 OutputVector<T> y, PartialVectors<T> const& partials,
                 FusedTilesPlan<T> const& plan, FusedTilesTuning const& tuning,
                 Factor const& factor) {
  for_each_team<T>(exec, label, plan.groups, plan.scratch(lines),
                   FusedTiles<T, Factor>{lines, x, y, partials, plan, tuning.lines_per_step,
                                         plan.sum_scratch(), factor},
                   lines.bytes());
  if (plan.groups > 1 && !partials.last_team_combines()) {
    combine_vectors(exec, label.combine, partials);
  }
}

}  // namespace tessera::detail
