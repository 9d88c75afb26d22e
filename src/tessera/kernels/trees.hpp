// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/order/lines.hpp>
#include <tessera/order/static_for.hpp>
#include <tessera/summation.hpp>

/// The adjacent-pair tree, by one thread or by a team's threads.
namespace tessera::kernels {

using detail::static_for;
using summation::Index;

template <int Count, class T>
KOKKOS_FORCEINLINE_FUNCTION T tree(T const* values) {
  if constexpr (Count == 1) {
    return values[0];
  } else {
    detail::PerLine<T, Count / 2> pair;
    for (int i = 0; i < Count / 2; ++i) pair[i] = values[2 * i] + values[2 * i + 1];
    return tree<Count / 2>(pair);
  }
}

inline constexpr int values_of_round = 8;

template <class T, class Value>
KOKKOS_FORCEINLINE_FUNCTION T tree_of_round(Value const& value, int count) {
  T leaf[values_of_round];
  static_for<values_of_round>([&](auto u) { leaf[u()] = u() < count ? value(u()) : T(0); });
  return tree<values_of_round>(leaf);
}

/// Two sets of leaves alternate, so that a thread can set the next while others read the present
/// ones.
template <class T, int Lines>
class Trees {
 public:
  KOKKOS_FUNCTION static Index scratch(Index leaves) { return 2 * scratch_of_set(leaves); }

  KOKKOS_FUNCTION Trees(T* scratch, int leaves)
      : set_(scratch), other_(scratch + scratch_of_set(leaves)), pitch_(leaves) {}

  KOKKOS_FORCEINLINE_FUNCTION void set(int line, int leaf, T value) const {
    set_[line * pitch_ + leaf] = value;
  }

  /// Calls sums[r].push(tree over line r's leaves) on every thread of the team.
  template <class Team, class Sum>
  KOKKOS_FORCEINLINE_FUNCTION void sum(Team const& team, int lines, int leaves, Sum* sums) {
    team.team_barrier();
    T* from = set_;
    int pitch = pitch_;
    int left = leaves;
    while (left > values_of_round) {
      int const next = (left + values_of_round - 1) / values_of_round;
      T* const to = from + Lines * pitch;
      for (int q = team.team_rank(); q < lines * next; q += team.team_size()) {
        int const first = q % next * values_of_round;
        T const* const value = from + q / next * pitch + first;
        to[q] = tree_of_round<T>([&](int u) { return value[u]; }, left - first);
      }
      team.team_barrier();
      from = to;
      pitch = left = next;
    }
    static_for<Lines>([&](auto r) {
      if (r() >= lines) return;
      T const* const value = from + r() * pitch;
      sums[r()].push(tree_of_round<T>([&](int u) { return value[u]; }, left));
    });
    Kokkos::kokkos_swap(set_, other_);
  }

 private:
  KOKKOS_FUNCTION static Index scratch_of_set(Index leaves) {
    Index all = Lines * leaves;
    for (Index left = leaves; left > values_of_round;) {
      left = summation::ceil_div(left, values_of_round);
      all += Lines * left;
    }
    return all;
  }

  T* set_;
  T* other_;
  int pitch_;
};

}  // namespace tessera::kernels
