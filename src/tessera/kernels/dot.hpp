// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/kernels/items.hpp>
#include <tessera/kernels/trees.hpp>
#include <tessera/order/lines.hpp>
#include <tessera/order/pair_tree.hpp>

/// Dot products of lines with x: A·v of a row-major matrix, Aᵀ·b of a column-major one.
///
///     team (block of lines, run of elements):
///       for lines i, i + 1, … of the block, Shape::lines at a time:        # a step
///         for each chunk of the run:                                       # leaves fit scratch
///           each thread: load its items of each line                       # chain_steps = 4 words
///           each thread: leaf = tree over the chains of item · x           # to scratch
///           team: tree over the leaves of each line                        # barriers
///         thread 0: out[i] = tree over the chunks
///     combine_runs: out[i] = tree over the runs of line i                  # if there are several
///
///     line   |<------ segment ------>|<------ segment ------>| …
///     item 0 |w     w     w     w    |                       |   w: a word of `width` elements;
///     item 1 | w     w     w     w   |                       |   words of an item are `lanes`
///     …      |                       |                       |   elements apart
///     item s |                       |w     w     w     w    |   thread t: items t, t + threads …
///
/// Each line is summed by a tree over its segments, each segment by a tree over its lanes, and each
/// lane by a chain of four fma. The numbers of threads, chunks and runs change no bit.
namespace tessera::kernels {

using detail::Lines;
using detail::OutputVector;

template <class T>
class SumOfOneChunk {
 public:
  KOKKOS_FORCEINLINE_FUNCTION void push(T sum) { sum_ = sum; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T value() const { return sum_ + T(0); }

 private:
  T sum_ = T(0);
};

/// Tree over chunks, which arrive in order.
template <class T>
class SumOfManyChunks {
 public:
  KOKKOS_FORCEINLINE_FUNCTION void push(T sum) { tree_.push(sum); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T value() const { return tree_.sum(); }

 private:
  detail::PairTree<T> tree_;
};

template <class T, class Shape>
using SumOfChunks = std::conditional_t<(Shape::kept > 0), SumOfOneChunk<T>, SumOfManyChunks<T>>;

template <class T, class Shape>
Index scratch_of_trees(Index chunk) {
  return Trees<T, Shape::sums>::scratch(Items<T, Shape>::of(chunk));
}

/// Calls products[r * Shape::columns + c].push(tree over elements [begin, end) of line r times
/// x(c)). KeptLines load all before the first use; CachedLines read line by line.
template <class T, class Shape, class Data, class Team>
KOKKOS_FORCEINLINE_FUNCTION void multiply_chunk(Team const& team, Lines<T, Data> const& lines,
                                                Index first, int count, Index begin, Index end,
                                                int columns, auto const& x,
                                                HeldLines<T, Shape>& held,
                                                Trees<T, Shape::sums>& trees, auto* products) {
  Items<T, Shape> const items(team, end - begin);
  auto const for_each_item = [&](auto const& body) {
    static_for<Shape::lines>([&](auto r) {
      if (r() >= count) return;
      Data const line = lines.line(first + r());
      items.for_each([&](auto k, int item) { body(k, r, line, item, begin + items.place(item)); });
    });
  };
  for_each_item([&](auto k, auto r, Data const& line, int /*item*/, Index j) {
    held.load(k, r, line + j, end - j);
  });
  for_each_item([&](auto k, auto r, Data const& line, int item, Index j) {
    static_for<Shape::columns>([&](auto c) {
      T value = T(0);
      if (Shape::columns == 1 || c() < columns) {
        value = held.multiply(k, r, c, line + j, x(c()) + j, end - j);
      }
      if (item < items.count) trees.set(r() * Shape::columns + c(), item, value);
    });
  });
  trees.sum(team, count * Shape::columns, items.count, products);
}

/// Several runs: out[i * runs + run].
template <class T, class Shape, class Data = T const*>
struct Dot {
  Lines<T, Data> lines;
  BlockIn<T, Shape> x;
  BlockOut<T, Shape> out;
  Index lines_per_team;
  Index runs;
  Index run_length;  ///< elements: a power of two of segments, or the line
  Index chunk;       ///< elements whose leaves fit scratch
  int columns = 1;

  [[nodiscard]] Index scratch() const { return scratch_of_trees<T, Shape>(chunk); }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, T* scratch) const {
    Index const run = team.league_rank() % runs;
    Index const first = team.league_rank() / runs * lines_per_team;
    Index const last = Kokkos::min(lines.count, first + lines_per_team);
    Index const end = Kokkos::min(lines.length, (run + 1) * run_length);
    auto const vector = [&](int c) { return column_of(x, c); };
    HeldLines<T, Shape> held(
        team, columns, [&](int c) { return column_of(x, c) + run * run_length; },
        end - run * run_length);
    Trees<T, Shape::sums> trees(scratch, Items<T, Shape>::of(chunk));
    for (Index i = first; i < last; i += Shape::lines) {
      auto const count = static_cast<int>(Kokkos::min(Index{Shape::lines}, last - i));
      SumOfChunks<T, Shape> products[Shape::sums];
      for (Index begin = run * run_length; begin < end; begin += chunk) {
        multiply_chunk<T, Shape>(team, lines, i, count, begin, Kokkos::min(end, begin + chunk),
                                 columns, vector, held, trees, products);
      }
      if (team.team_rank() != 0) continue;
      static_for<Shape::lines>([&](auto r) {
        if (r() >= count) return;
        for_columns<Shape>(columns, [&](auto c) {
          column_of(out, c()).set((i + r()) * runs + run,
                                  products[r() * Shape::columns + c()].value());
        });
      });
    }
  }
};

}  // namespace tessera::kernels
