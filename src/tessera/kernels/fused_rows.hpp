// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/kernels/dot.hpp>
#include <tessera/kernels/factor.hpp>
#include <tessera/kernels/items.hpp>
#include <tessera/kernels/panels.hpp>
#include <tessera/kernels/trees.hpp>
#include <tessera/order/lines.hpp>

/// Fused ATAX of a row-major matrix: y = A·x and Aᵀ·f(y) in one read of A.
///
///     team (group of panels):
///       for rows i, i + 1, … of the group, Shape::lines at a time:          # a step
///         for each chunk of the rows:
///           each thread: sums += factor · row of the previous step          # registers or cache
///             if that step ends a panel: add waiting sums of equal size     # a tree over panels
///           each thread: load its items of this step's rows; leaf = row · x
///           team: tree over the leaves of each row                          # barriers
///         y[i] = tree over the row's chunks;  factor = f(i, y[i])
///     combine: a tree over the groups                                       # a second kernel
///
/// A row can be added only when its dot product is complete. It is added together with the loads of
/// the next step. Rows that do not fit registers are read twice, the second time from cache.
namespace tessera::kernels {

/// Each group's level 0 = the sum over its lines i of factor(i, y[i]) * line_i.
template <class T, class Shape, class Factor, class Data = T const*>
struct FusedRows {
  Lines<T, Data> lines;
  BlockIn<T, Shape> x;
  BlockOut<T, Shape> y;
  Stacks<T> stacks;
  summation::Panels panels;
  Index panels_per_team;
  Index chunk;  ///< elements whose leaves fit scratch; all of a kept line
  Factor factor;
  int columns = 1;

  [[nodiscard]] Index scratch() const { return scratch_of_trees<T, Shape>(chunk); }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, T* scratch) const {
    Group const group(team.league_rank(), panels_per_team, panels.lines, lines.count);
    VectorStack<T> const stack = stacks.of(team.league_rank());
    auto const vector = [&](int c) { return column_of(x, c); };
    HeldLines<T, Shape> held(team, columns, vector, lines.length);
    Trees<T, Shape::sums> trees(scratch, Items<T, Shape>::of(chunk));
    T factors[Shape::columns][Shape::lines];
    Step before;
    for (Step now = group.begin(Shape::lines); before.count + now.count > 0;) {
      Joined<T> const to = joined(stack, before.panel, group.panels);
      T* const sums = stack.level(VectorStack<T>::level_of(before.panel));
      SumOfChunks<T, Shape> products[Shape::sums];
      for (Index begin = 0; begin < lines.length; begin += chunk) {
        Index const end = Kokkos::min(lines.length, begin + chunk);
        if (before.count > 0) {
          Items<T, Shape> const items(team, end - begin);
          items.for_each([&](auto k, int item) {
            Index const j = begin + items.place(item);
            ItemOfLines<Data> const tile(lines, before.first, before.count, j);
            for_columns<Shape>(columns, [&](auto c) {
              Index const place = c() * lines.length + j;
              held.add(k, c, tile, factors[c()], before.begins, sums + place);
              if (before.ends_panel()) held.join(k, c, to.from(place), sums + place, tile.left);
            });
          });
        }
        if (now.count > 0) {
          multiply_chunk<T, Shape>(team, lines, now.first, now.count, begin, end, columns, vector,
                                   held, trees, products);
        }
      }
      static_for<Shape::lines>([&](auto r) {
        if (r() >= now.count) return;
        for_columns<Shape>(columns, [&](auto c) {
          T const value = products[r() * Shape::columns + c()].value();
          if (team.team_rank() == 0) column_of(y, c()).set(now.first + r(), value);
          factors[c()][r()] = factor(now.first + r(), value);
        });
      });
      before = now;
      now = group.next(before, Shape::lines);
    }
  }
};

}  // namespace tessera::kernels
