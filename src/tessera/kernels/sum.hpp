// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/kernels/items.hpp>
#include <tessera/kernels/panels.hpp>
#include <tessera/order/lines.hpp>

/// The sum over lines, each times an entry of y: Aᵀ·b of a row-major matrix, A·v of a column-major
/// one.
///
///     team (group of panels, tile of columns):
///       for each panel of the group, a fixed number of lines:
///         for lines i, i + 1, … of the panel, Shape::lines at a time:      # a step
///           each thread, for each of its items j of the tile:
///             sums[j] = fma(y[i], line_i[j], sums[j])       # a chain down the panel
///         each thread: add waiting sums of equal size       # a tree over panels
///     combine: a tree over the groups                       # a second kernel
///
///               tile 0      tile 1
///     panel 0 | team 0    | team 1    |   team 0 keeps the chains of its columns in registers or
///     panel 1 | team 0    | team 1    |   cache; threads own different columns, so no thread
///     panel 2 | team 2    | team 3    |   waits for another
///
/// Chains and trees depend on the panels only. The numbers of groups and tiles change no bit.
namespace tessera::kernels {

using detail::Lines;

/// stack(c)'s level 0 = the sum over the group's lines i of factor(c)[i] * line_i.
template <class T, class Shape, class Data, class Team>
KOKKOS_FORCEINLINE_FUNCTION void add_panels(Team const& team, Lines<T, Data> const& lines,
                                            Group const& group, int columns, auto const& factor,
                                            auto const& stack) {
  Items<T, Shape> const items(team, lines.length);
  HeldLines<T, Shape> held;
  for (Step now = group.begin(Shape::lines); now.count > 0; now = group.next(now, Shape::lines)) {
    T factors[Shape::columns][Shape::lines];
    for_columns<Shape>(columns, [&](auto c) {
      static_for<Shape::lines>([&](auto r) {
        factors[c()][r()] = r() < now.count ? factor(c())[now.first + r()] : T(0);
      });
    });
    items.for_each([&](auto k, int item) {
      Index const j = items.place(item);
      ItemOfLines<Data> const tile(lines, now.first, now.count, j);
      static_for<Shape::lines>([&](auto r) {
        if (r() < now.count) held.load(k, r, tile.data + r() * tile.leading, tile.left);
      });
      for_columns<Shape>(columns, [&](auto c) {
        T* const sums = stack(c()).level(VectorStack<T>::level_of(now.panel)) + j;
        held.add(k, c, tile, factors[c()], now.begins, sums);
        if (!now.ends_panel()) return;
        held.join(k, c, joined(stack(c()), now.panel, group.panels).from(j), sums, tile.left);
      });
    });
  }
}

/// Each group's level 0 = the sum over its lines i of y[i] * line_i. A block's vectors are one
/// after another.
template <class T, class Shape, class Data = T const*>
struct Sum {
  Lines<T, Data> lines;
  BlockIn<T, Shape> y;
  Stacks<T> stacks;
  summation::Panels panels;
  Index panels_per_team;
  Index columns_per_team;  ///< a multiple of a segment
  Index column_tiles;
  int columns = 1;

  [[nodiscard]] static Index scratch() { return 0; }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, T* /*scratch*/) const {
    Index const index = team.league_rank() / column_tiles;
    Index const begin = team.league_rank() % column_tiles * columns_per_team;
    Index const width = Kokkos::min(columns_per_team, lines.length - begin);
    VectorStack<T> const stack = stacks.of(index).from(begin);
    add_panels<T, Shape>(
        team, Lines<T, Data>{lines.data + begin, lines.count, width, lines.leading},
        Group(index, panels_per_team, panels.lines, lines.count), columns,
        [&](int c) { return column_of(y, c); },
        [&](int c) { return stack.from(c * lines.length); });
  }
};

}  // namespace tessera::kernels
