// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/kernels/dot.hpp>
#include <tessera/kernels/items.hpp>
#include <tessera/kernels/panels.hpp>
#include <tessera/kernels/sum.hpp>
#include <tessera/kernels/trees.hpp>
#include <tessera/order/lines.hpp>

/// Fused ATAX of a column-major matrix: y = A·x and Aᵀ·f(y) in one read of A from memory.
///
///     team (group of tiles, each some segments of all columns):
///       for each tile:
///         part of y = sum over the columns of x[j] · column_j                # as in sum.hpp
///         sY[i] = f(i, y[i])                                                 # to scratch
///         for columns j, j + 1, …, Shape::lines at a time:                   # from cache
///           dot product of the tile's part of column j and sY                # as in dot.hpp
///           thread 0: add waiting dot products of equal size                 # a tree over tiles
///     combine: a tree over the groups                                        # a second kernel
///
/// Tiles are so narrow that all columns of a tile stay in cache between the two passes.
namespace tessera::kernels {

/// Element j of each group's level 0 = line j · factor(i, y[i]) over the group's tiles. A block is
/// computed vector by vector.
template <class T, class Shape, class Factor, class Data = T const*>
struct FusedColumns {
  Lines<T, Data> lines;
  T const* x;
  OutputVector<T> y;
  Stacks<T> stacks;  ///< one number per line; tiles are the panels
  Stacks<T> parts_of_y;
  summation::Panels panels;
  Index width;  ///< elements: a power of two of segments
  Index tiles;
  Index tiles_per_team;
  Factor factor;

  [[nodiscard]] Index scratch() const { return width + scratch_of_trees<T, Shape>(width); }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team,
                                  T* sY) const {  // sY: `width` elements, then scratch of `trees`
    Group const group(0, panels.count, panels.lines, lines.count);
    VectorStack<T> const stack = stacks.of(team.league_rank());
    VectorStack<T> const part = parts_of_y.of(team.league_rank());
    Trees<T, Shape::lines> trees(sY + width, Items<T, Shape>::of(width));
    Index const first = team.league_rank() * tiles_per_team;
    Index const count = Kokkos::min(tiles_per_team, tiles - first);
    for (Index t = 0; t < count; ++t) {
      Index const begin = (first + t) * width;
      Index const length = Kokkos::min(width, lines.length - begin);
      Lines<T, Data> const tile{lines.data + begin, lines.count, length, lines.leading};
      add_panels<T, Shape>(team, tile, group, 1, [&](int) { return x; }, [&](int) { return part; });
      team.team_barrier();
      for (auto i = Index{team.team_rank()}; i < length; i += team.team_size()) {
        T const value = part.level(0)[i] + T(0);
        y.set(begin + i, value);
        sY[i] = factor(begin + i, value);
      }
      team.team_barrier();
      multiply(team, tile, sY, joined(stack, t, count), trees);
    }
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(Team const& team, Lines<T, Data> const& tile,
                                                   T const* sY, Joined<T> const& to,
                                                   Trees<T, Shape::lines>& trees) {
    auto const vector = [&](int) { return sY; };
    HeldLines<T, Shape> held(team, 1, vector, tile.length);
    for (Index i = 0; i < tile.count; i += Shape::lines) {
      auto const count = static_cast<int>(Kokkos::min(Index{Shape::lines}, tile.count - i));
      SumOfOneChunk<T> products[Shape::lines];
      multiply_chunk<T, Shape>(team, tile, i, count, 0, tile.length, 1, vector, held, trees,
                               products);
      if (team.team_rank() != 0) continue;
      static_for<Shape::lines>([&](auto r) {
        if (r() >= count) return;
        T sum = products[r()].value();
        for (int w = 0; w < to.waiting; ++w) sum += to.subtree(w)[i + r()];
        to.oldest[i + r()] = sum;
      });
    }
  }
};

}  // namespace tessera::kernels
