// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/detail/launch.hpp>
#include <tessera/detail/segment.hpp>
#include <tessera/detail/vector_stack.hpp>

namespace tessera::detail {

/// out[j] = adjacent-pair tree over `count` partial vectors of `length` elements, + 0. The tree is
/// built in place: the partials are lost.
template <class Exec, class T>
void combine_vectors(Exec const& exec, std::string const& label, T* partials, Index count,
                     Index length, OutputVector<T> out) {
  constexpr Index columns = 512;
  HostLaunch<Exec> const launch(exec, summation::ceil_div(length, columns), 0);
  using Member = typename TeamPolicy<Exec>::member_type;
  Kokkos::parallel_for(
      label, launch.policy, KOKKOS_LAMBDA(Member const& member) {
        Index const begin = member.league_rank() * columns;
        Index const width = length - begin < columns ? length - begin : columns;
        T* const first = partials + begin;
        for (Index o = 1; o < count; o *= 2) {
          for (Index t = 0; t + o < count; t += 2 * o) {
            add_vector(first + t * length, first + (t + o) * length, width);
          }
        }
        for (Index j = 0; j < width; ++j) out.set(begin + j, first[j] + T(0));
      });
}

/// out[i] = adjacent-pair tree over the `runs` partial sums of line i, + 0.
template <class Exec, class T>
void combine_runs(Exec const& exec, std::string const& label, T const* partials, Index count,
                  Index runs, OutputVector<T> out) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
  Kokkos::parallel_for(
      label, Policy(exec, 0, count), KOKKOS_LAMBDA(Index const i) {
        PairTree<T> tree;
        for (Index run = 0; run < runs; ++run) tree.push(partials[i * runs + run]);
        out.set(i, tree.sum());
      });
}

}  // namespace tessera::detail
