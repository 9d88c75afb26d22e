// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/kernels/launch.hpp>
#include <tessera/kernels/panels.hpp>
#include <tessera/kernels/trees.hpp>
#include <tessera/kernels/tuning.hpp>
#include <tessera/order/lines.hpp>

namespace tessera::kernels {

using detail::OutputVector;

/// out = the tree over level 0 of all groups' stacks, + 0. Overwrites them.
template <class T, class Out>
struct Combine {
  Stacks<T> stacks;
  Index groups;
  Out out;
  Index columns_per_team;

  [[nodiscard]] static Index scratch() { return 0; }

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& team, T* /*scratch*/) const {
    Index const begin = team.league_rank() * columns_per_team;
    Index const columns = Kokkos::min(columns_per_team, stacks.length - begin);
    Index apart = 1;
    for (Index left = groups; left > 1;) {
      Index const next = summation::ceil_div(left, values_of_round);
      for (auto q = Index{team.team_rank()}; q < next * columns; q += team.team_size()) {
        Index const first = q / columns * values_of_round;
        Index const j = begin + q % columns;
        auto const count = static_cast<int>(Kokkos::min(Index{values_of_round}, left - first));
        auto const value = [&](int u) { return stacks.of((first + u) * apart).bottom[j]; };
        stacks.of(first * apart).bottom[j] = tree_of_round<T>(value, count);
      }
      team.team_barrier();
      apart *= values_of_round;
      left = next;
    }
    for (auto j = begin + team.team_rank(); j < begin + columns; j += team.team_size()) {
      out.set(j, stacks.of(0).bottom[j] + T(0));
    }
  }
};

template <class Exec, class T, class Out>
void combine(Exec const& exec, std::string const& label, Stacks<T> const& stacks, Index groups,
             Out const& out) {
  // Few columns per team keep teams numerous if there are many groups.
  constexpr Index values = 2048;
  Index const columns =
      teams_of_one<Exec> ? 512 : std::clamp(values / groups / 16 * 16, Index{16}, Index{256});
  constexpr int threads = teams_of_one<Exec> ? 1 : 256;
  run_teams<T, threads>(exec, label, summation::ceil_div(stacks.length, columns), threads,
                        Combine<T, Out>{stacks, groups, out, columns});
}

}  // namespace tessera::kernels
