// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/detail/digest.hpp>
#include <tessera/distributed.hpp>
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
  Exec const& exec = world.exec();
  auto const count = static_cast<Index>(BT.extent(0));
  // Rank by rank, and vector by vector within a rank.
  std::vector<distributed::Rows> packed_by_rank = rows_by_rank;
  for (distributed::Rows& rows : packed_by_rank) rows = {rows.first * count, rows.count * count};
  Values<Exec, T> packed;
  auto const copy = [&](std::size_t r, auto const& body) {
    distributed::Rows const& rows = rows_by_rank[r];
    if (rows.count == 0) return;
    body(Kokkos::subview(BT, Kokkos::ALL, Kokkos::pair(rows.first, rows.end())),
         Rows<Exec, T>(packed.data() + rows.first * count, BT.extent(0),
                       static_cast<std::size_t>(rows.count)));
  };
  if (count == 0) return;
  if (count == 1) return world.share_rows(flat(BT), rows_by_rank);
  world.together([&] {
    packed = make_values<Exec, T>(exec, static_cast<Index>(BT.size()));
    copy(static_cast<std::size_t>(world.rank()),
         [&](auto const& own, auto const& to) { Kokkos::deep_copy(exec, to, own); });
  });
  world.share_rows(packed, packed_by_rank);
  for (std::size_t r = 0; r < rows_by_rank.size(); ++r) {
    if (r == static_cast<std::size_t>(world.rank())) continue;
    copy(r, [&](auto const& to, auto const& its) { Kokkos::deep_copy(exec, to, its); });
  }
  exec.fence("tessera::solve: the vectors are complete");
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
