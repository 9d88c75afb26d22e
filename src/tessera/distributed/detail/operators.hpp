// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/detail/digest.hpp>
#include <tessera/distributed.hpp>
#include <tessera/distributed/detail/share_columns.hpp>
#include <tessera/distributed/detail/sum_of_roots.hpp>
#include <tessera/distributed/error.hpp>
#include <tessera/solve/operator.hpp>
#include <tessera/solve/values.hpp>

/// What distributed matrices have in common.
namespace tessera::solve::detail {

inline constexpr distributed::detail::Joining<double> joining_of_moments{
    .unit = ColumnMoments::fields, .join = &join_moments};

/// Completes all vectors on all ranks, with the messages of one.
template <class Exec, class T>
void share_block(Distributed<Exec> const& world, Rows<Exec, T> const& BT,
                 std::vector<distributed::Rows> const& rows_by_rank) {
  distributed::detail::share_columns<Exec, T>(world, as_columns<Exec, T>(BT), rows_by_rank);
}

/// Throws on all ranks unless all pass equal arguments.
template <class Exec>
void agree_on_call(Distributed<Exec> const& world, std::string const& method,
                   std::function<std::uint64_t()> const& call) {
  std::uint64_t mine = 0;
  world.together([&] { mine = tessera::detail::Digest().add(method).value() ^ call(); });
  std::vector<std::uint64_t> const all = world.communicator().gather(mine);
  auto const other = std::ranges::find_if(all, [&](auto its) { return its != all.front(); });
  if (other == all.end()) return;
  throw DistributedError(static_cast<int>(other - all.begin()),
                         "tessera::" + method +
                             ": expected the method, the options, the vectors and the state that "
                             "rank 0 has, found others");
}

}  // namespace tessera::solve::detail
