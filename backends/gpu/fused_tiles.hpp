// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <Kokkos_Core.hpp>

#include <tessera/backends/gpu/combine.hpp>
#include <tessera/backends/gpu/fused_slices.hpp>
#include <tessera/backends/gpu/sum.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/tuning.hpp>

namespace tessera::detail::gpu {

/// How the tiles of a fused ATAX of column-major lines are dealt to teams.
template <class Exec, class T>
struct FusedTilesPlan {
  static constexpr int team_size = PanelSteps<T>::team_size;

  summation::Panels panels;  ///< of the sum that makes a tile's part of B
  Index width;               ///< elements of each line in a tile
  PanelSteps<T> steps;       ///< of that sum
  Index tiles;
  Index tiles_per_team;
  Index groups;
  SlicesPlan<Exec, T> slices;  ///< instead of tiles, where it fits

  FusedTilesPlan(Exec const& exec, Lines<T> const& lines, Tuning const& tuning)
      : panels(lines.panels()),
        width(width_of(lines, tuning)),
        steps(width, panels.count),
        slices(exec, lines, tuning.fused_tiles) {
    tiles = summation::ceil_div(lines.length, width);
    tiles_per_team = std::min(tuning.fused_tiles.tiles_per_team, ceil_power_of_two(tiles));
    groups = summation::ceil_div(tiles, tiles_per_team);
  }

  /// Scalars of the partial vectors, one a group.
  [[nodiscard]] Index partials(Lines<T> const& lines) const {
    return whole_words<T>(groups * lines.count);
  }
  /// Scalars of the threads' stacks that scratch does not hold.
  [[nodiscard]] Index stacks() const { return groups * steps.workspace(); }
  /// Scalars of workspace: partial vectors, stacks of threads, and of partial vectors.
  [[nodiscard]] Index workspace(Lines<T> const& lines) const {
    if (slices.fits()) return slices.workspace(lines.count);
    return partials(lines) + stacks() + groups * stack_levels(tiles_per_team) * lines.count;
  }
  /// Scalars of scratch: of the sum, and the tile's part of B.
  [[nodiscard]] Index scratch(Lines<T> const& lines) const {
    return slices.fits() ? slices.scratch(lines.count) : steps.scratch() + width;
  }
  [[nodiscard]] Index teams() const { return slices.fits() ? slices.teams : groups; }
  [[nodiscard]] int threads() const { return slices.fits() ? slices.team_size() : team_size; }

 private:
  /// A thread has a word of a tile's columns at most.
  static Index width_of(Lines<T> const& lines, Tuning const& tuning) {
    constexpr Index segment = summation::segment<T>;
    constexpr Index most = team_size * word_width<T> / segment;
    return segment * std::min({tuning.fused_tiles.segments_per_tile, most,
                               ceil_power_of_two(summation::segments<T>(lines.length))});
  }
};

template <class Exec, class T, bool Aligned, class Factor>
struct FusedTiles {
  using Warp = WarpOf<Exec>;
  using Plan = FusedTilesPlan<Exec, T>;

  Lines<T> lines;
  T const* x;
  OutputVector<T> y;
  OutputVector<T> out;
  T* partials;
  Word<T>* stacks;
  T* above;
  Plan plan;
  Index scratch;
  int vector_levels;
  Factor factor;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    Place const place = Place::of(member);
    T* const sB = team_scratch<T>(member, 0, scratch);  // (width)
    auto* const sWords = reinterpret_cast<Word<T>*>(sB + plan.width);
    Index const group = member.league_rank();
    VectorStack<T> const stack{partials + group * lines.count,
                               above + group * vector_levels * lines.count, lines.count};
    Word<T>* const waiting = stacks + group * static_cast<Index>(plan.steps.levels_in_memory) *
                                          plan.steps.threads_per_line;
    Index const first_tile = group * plan.tiles_per_team;
    Index const tiles = Kokkos::min(plan.tiles_per_team, plan.tiles - first_tile);
    for (Index t = 0; t < tiles; ++t) {
      Index const begin = (first_tile + t) * plan.width;
      Index const width = Kokkos::min(plan.width, lines.length - begin);
      make_part_of_y(member, begin, width, waiting, sWords, sB);
      member.team_barrier();
      add_dots(place, begin, width, sB, stack, t);
      member.team_barrier();
    }
    // A line's partial sums are its warp's own.
    constexpr Index warps = Plan::team_size / warp_threads;
    for (Index j = place.warp; j < lines.count; j += warps) {
      if (place.lane != 0) continue;
      for (int l = VectorStack<T>::level_of(tiles) - 1; l > 0; --l) {
        stack.level(l - 1)[j] += stack.level(l)[j];
      }
      if (plan.groups == 1) out.set(j, stack.bottom[j] + T(0));
    }
  }

  template <class Team>
  KOKKOS_FUNCTION void make_part_of_y(Team const& member, Index begin, Index width,
                                      Word<T>* waiting, Word<T>* sWords, T* sB) const {
    using Columns = ColumnSum<Warp, Aligned ? 1 : warp_threads, 8, Cached, T>;
    int const column = Columns::first_column(member.team_rank() % plan.steps.threads_per_line);
    Columns const columns{lines, x, plan.panels, begin + column,
                          static_cast<int>(Kokkos::max(Index{0}, width - column))};
    Word<T> const sum = tree_over_panels<Warp>(member, plan.steps, columns, 0, sWords, waiting);
    if (member.team_rank() >= plan.steps.threads_per_line) return;
    static_for<word_width<T>>([&](auto e) {
      int const at = column + Columns::offset(e());
      T const value = sum.e[e()] + T(0);
      if (at >= width) return;
      y.set(begin + at, value);
      sB[at] = factor(begin + at, value);
    });
  }

  /// The dot products of the tile's part of each line with its part of B: a warp a line.
  KOKKOS_FUNCTION void add_dots(Place const& place, Index begin, Index width, T const* sB,
                                VectorStack<T> const& stack, Index tile) const {
    int const column = place.half * summation::segment<T> + thread_offset<T, Aligned>(place.part);
    constexpr Index warps = Plan::team_size / warp_threads;
    for (Index j = place.warp; j < lines.count; j += warps) {
      WarpTree<Warp, T> tree(place.lane);
      for (Index c = 0; c < width; c += chunk<T>) {
        int const rest = rest_of_line(width, c + column);
        PerLine<Word<T>, segment_words> rA;
        PerLine<Word<T>, segment_words> rB;
        load_words<Warp, Aligned, segment_words>(rA, lines.line(j) + begin + c + column, rest,
                                                 Cached{});
        load_words<Warp, Aligned, segment_words>(rB, sB + c + column, rest, Cached{});
        T value = segment_dot<Warp, Aligned, segment_words>(rA, rB, place.part);
        value += Warp::shuffle_xor(value, segment_threads);
        tree.push(value);
      }
      T value = tree.sum();
      if (place.lane != 0) continue;
      int level = VectorStack<T>::level_of(tile);
      for (Index rest = tile; (rest & 1) != 0; rest >>= 1) value = stack.level(--level)[j] + value;
      stack.level(level)[j] = value;
    }
  }
};

/// y[i] = sum over lines j of x[j] * line_j[i]; out[j] = dot product of line j and factor(i, y[i]):
/// each tile is read from memory once, and from the caches the second time.
template <class Exec, class T, class Factor>
void fused_tiles(Exec const& exec, Label const& label, Lines<T> const& lines, T const* x,
                 OutputVector<T> y, OutputVector<T> out, T* workspace,
                 FusedTilesPlan<Exec, T> const& plan, Factor const& factor) {
  if constexpr (WarpOf<Exec>::has_copies) {
    if (plan.slices.fits()) {
      return fused_slices(exec, label, lines, x, y, out, workspace, plan.slices, factor);
    }
  }
  using Plan = FusedTilesPlan<Exec, T>;
  require_countable_lines(plan.panels);
  T* const stacks = workspace + plan.partials(lines);
  Index const scratch = plan.scratch(lines);
  with_alignment(is_aligned(lines, lines.data), [&](auto aligned) {
    for_each_team<Plan::team_size, 2>(
        exec, label, plan.groups, Plan::team_size, scratch_bytes<T>(scratch),
        FusedTiles<Exec, T, aligned(), Factor>{
            lines, x, y, out, workspace, reinterpret_cast<Word<T>*>(stacks), stacks + plan.stacks(),
            plan, scratch, stack_levels(plan.tiles_per_team), factor});
  });
  combine_groups(exec, label, static_cast<T const*>(workspace), plan.groups, lines.count, out);
}

}  // namespace tessera::detail::gpu
