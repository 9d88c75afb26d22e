// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/launch.hpp>
#include <tessera/backends/host/segment.hpp>
#include <tessera/kernels/combine_runs.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/order/powers.hpp>
#include <tessera/order/vector_stack.hpp>

/// Combines partial results of teams.
namespace tessera::detail {

template <class T, class Out = OutputVector<T>>
struct PartialVectors {
  T* data;  // (groups, length)
  Index groups;
  Index length;
  Out out;
  int* arrivals;

  /// Scalars up to which the last team combines, which saves a launch.
  static constexpr Index small = 16384;

  KOKKOS_INLINE_FUNCTION T* of(Index group) const { return data + group * length; }
  KOKKOS_INLINE_FUNCTION bool last_team_combines() const {
    return groups > 1 && groups * length <= small;
  }

  /// out[j] = tree over the groups, + 0. Overwrites the vectors.
  KOKKOS_INLINE_FUNCTION void combine(Index begin, Index end) const {
    for (Index o = 1; o < groups; o *= 2) {
      for (Index t = 0; t + o < groups; t += 2 * o) {
        add_vector(of(t) + begin, of(t + o) + begin, end - begin);
      }
    }
    out.set_sums(data, begin, end);
  }

  KOKKOS_INLINE_FUNCTION void group_is_complete() const {
    if (groups == 1) return combine(0, length);
    if (!last_team_combines()) return;
    Kokkos::memory_fence();
    if (Kokkos::atomic_fetch_add(arrivals, 1) != static_cast<int>(groups) - 1) return;
    Kokkos::memory_fence();
    combine(0, length);
    *arrivals = 0;
  }
};

template <class T, class Partials>
struct CombineVectors {
  static constexpr Index columns = 512;
  Partials partials;

  KOKKOS_FUNCTION void operator()(HostTeam<T> const& team) const {
    Index const begin = team.league_rank * columns;
    partials.combine(begin, Kokkos::min(partials.length, begin + columns));
  }
};

template <class Exec, class T, class Out>
void combine_vectors(Exec const& exec, std::string const& label,
                     PartialVectors<T, Out> const& partials) {
  using Kernel = CombineVectors<T, PartialVectors<T, Out>>;
  for_each_team<T>(exec, label, summation::ceil_div(partials.length, Kernel::columns), 0,
                   Kernel{partials}, partials.groups * partials.length * Index{sizeof(T)});
}

}  // namespace tessera::detail
