// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/kernels/elements.hpp>
#include <tessera/order/lines.hpp>
#include <tessera/order/pair_tree.hpp>

namespace tessera::detail {

template <class T, class Out>
struct CombineRuns {
  T const* partials;
  Index runs;
  Out out;

  KOKKOS_FUNCTION void operator()(Index i) const {
    PairTree<T> tree;
    for (Index run = 0; run < runs; ++run) tree.push(partials[i * runs + run]);
    out.set(i, tree.sum());
  }
};

/// out[i] = tree over line i's `runs` partial sums, + 0.
template <class Exec, class T, class Out>
void combine_runs(Exec const& exec, std::string const& label, T const* partials, Index count,
                  Index runs, Out const& out) {
  for_each_element(exec, label, count, CombineRuns<T, Out>{partials, runs, out});
}

}  // namespace tessera::detail
