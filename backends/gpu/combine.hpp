// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/gpu/teams.hpp>
#include <tessera/backends/gpu/trees.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/order/powers.hpp>

/// Combines partial results of teams.
namespace tessera::detail::gpu {

/// out[j] = tree over partials (groups, length), + 0. A thread adds a run of groups, with sixteen
/// loads in flight; a column's threads combine in scratch.
template <class Exec, class T, class Out>
struct CombineVectors {
  static constexpr int team_size = 256;
  static constexpr int in_flight = 16;
  static constexpr int max_levels = 40;

  T const* partials;
  Index groups;
  Index length;
  Out out;
  int columns;
  int runs;
  Index run;  ///< groups that a thread adds: a power of two

  CombineVectors(T const* its_partials, Index its_groups, Index its_length, Out const& its_out,
                 int columns_of_team)
      : partials(its_partials),
        groups(its_groups),
        length(its_length),
        out(its_out),
        columns(columns_of_team),
        runs(team_size / columns_of_team),
        run(ceil_power_of_two(summation::ceil_div(its_groups, Index{runs}))) {}

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    add(member, member.league_rank(), team_scratch<T>(member, 0, team_size));
  }

  template <class Team>
  KOKKOS_FUNCTION void add(Team const& member, Index team, T* sSum) const {  // (runs, columns)
    int const thread = member.team_rank();
    Index const column = team * columns + thread % columns;
    Index const first = thread / columns * run;
    T value = T(0);
    if (column < length) {
      if (run <= in_flight) {
        value = block(first, Kokkos::min(groups, first + run), column);
      } else {
        PerLine<T, max_levels> waiting;
        Index const blocks = run / in_flight;
        for (Index b = 0; b < blocks; ++b) {
          value = block(first + b * in_flight, groups, column);
          int level = 0;
          for (Index rest = b; (rest & 1) != 0; rest >>= 1) value = waiting[level++] + value;
          waiting[level] = value;
        }
      }
    }
    sSum[thread] = value;
    for (int o = 1; o < runs; o *= 2) {
      member.team_barrier();
      if (thread / columns % (2 * o) == 0) sSum[thread] = sSum[thread] + sSum[thread + o * columns];
    }
    if (thread < columns && column < length) out.set(column, sSum[thread] + T(0));
  }

 private:
  /// Reads past L1, whose lines may be older than other teams' values.
  KOKKOS_FUNCTION T block(Index first, Index last, Index column) const {
    PerLine<T, in_flight> x;
    static_for<in_flight>([&](auto k) {
      x[k()] = first + k() < last
                   ? WarpOf<Exec>::read_now(partials + (first + k()) * length + column)
                   : T(0);
    });
    static_for<4>([&](auto level) {
      constexpr int o = 1 << level();
      static_for<in_flight / (2 * o)>(
          [&](auto t) { x[t() * 2 * o] = x[t() * 2 * o] + x[t() * 2 * o + o]; });
    });
    return x[0];
  }
};

template <class Exec, class T, class Out>
void combine_groups(Exec const& exec, Label const& label, T const* partials, Index groups,
                    Index length, Out const& out) {
  if (groups == 1) return;
  using Kernel = CombineVectors<Exec, T, Out>;
  // A thread adds few blocks; adjacent threads read at least a sector of 32 bytes.
  constexpr Index most_runs = Kernel::team_size * sizeof(T) / 32;
  Index const runs =
      std::min(most_runs, ceil_power_of_two(summation::ceil_div(groups, Index{Kernel::in_flight})));
  int const columns = static_cast<int>(Kernel::team_size / runs);
  Kernel const kernel(partials, groups, length, out, columns);
  for_each_team<Kernel::team_size, 2>(exec, label.combine, summation::ceil_div(length, columns),
                                      Kernel::team_size, scratch_bytes<T>(Kernel::team_size),
                                      kernel);
}

/// A warp computes out[i] = tree over line i's `runs` partial sums, + 0.
template <class Exec, class T>
struct CombineRuns {
  static constexpr int team_size = 128;
  static constexpr int lines_per_team = team_size / warp_threads;

  T const* partials;  // (count, runs)
  Index count;
  Index runs;
  OutputVector<T> out;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    Place const place = Place::of(member);
    Index const line = member.league_rank() * static_cast<Index>(lines_per_team) + place.warp;
    if (line >= count) return;
    WarpTree<WarpOf<Exec>, T> tree(place.lane);
    for (Index first = 0; first < runs; first += warp_threads) {
      Index const run = first + place.lane;
      T const value = run < runs ? partials[line * runs + run] : T(0);
      tree.push(tree_over_threads<WarpOf<Exec>, warp_threads>(value));
    }
    T const sum = tree.sum() + T(0);
    if (place.lane == 0) out.set(line, sum);
  }
};

template <class Exec, class T>
void combine_runs(Exec const& exec, std::string const& label, T const* partials, Index count,
                  Index runs, OutputVector<T> out) {
  using Kernel = CombineRuns<Exec, T>;
  for_each_team<Kernel::team_size, 1>(exec, label,
                                      summation::ceil_div(count, Kernel::lines_per_team),
                                      Kernel::team_size, 0, Kernel{partials, count, runs, out});
}

}  // namespace tessera::detail::gpu
