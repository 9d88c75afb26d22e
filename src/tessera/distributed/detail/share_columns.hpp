// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/distributed.hpp>

namespace tessera::distributed::detail {

/// Columns one after another, as ranks exchange them.
template <class Exec, class T>
using Columns = Kokkos::View<T**, Kokkos::LayoutLeft, typename Exec::memory_space>;

/// Completes all columns on all ranks, with the messages of one.
template <class Exec, class T>
void share_columns(Distributed<Exec> const& world, Columns<Exec, T> const& B,
                   std::vector<Rows> const& rows_by_rank) {
  Exec const& exec = world.exec();
  auto const count = static_cast<Index>(B.extent(1));
  if (count == 0) return;
  Kokkos::View<T*, typename Exec::memory_space> packed;
  if (count == 1) {
    packed = decltype(packed)(B.data(), B.extent(0));
    return world.share_rows(packed, rows_by_rank);
  }
  // Rank by rank, and column by column within a rank.
  std::vector<Rows> packed_by_rank = rows_by_rank;
  for (Rows& rows : packed_by_rank) rows = {rows.first * count, rows.count * count};
  auto const copy = [&](std::size_t r, auto const& body) {
    Rows const& rows = rows_by_rank[r];
    if (rows.count == 0) return;
    body(Kokkos::subview(B, Kokkos::pair(rows.first, rows.end()), Kokkos::ALL),
         Columns<Exec, T>(packed.data() + rows.first * count, static_cast<std::size_t>(rows.count),
                          B.extent(1)));
  };
  world.together([&] {
    packed = decltype(packed)(Kokkos::view_alloc(exec, std::string("tessera::distributed::packed"),
                                                 Kokkos::WithoutInitializing),
                              B.size());
    copy(static_cast<std::size_t>(world.rank()),
         [&](auto const& own, auto const& to) { Kokkos::deep_copy(exec, to, own); });
  });
  world.share_rows(packed, packed_by_rank);
  for (std::size_t r = 0; r < rows_by_rank.size(); ++r) {
    if (r == static_cast<std::size_t>(world.rank())) continue;
    copy(r, [&](auto const& to, auto const& its) { Kokkos::deep_copy(exec, to, its); });
  }
  exec.fence("tessera::distributed: the columns are complete");
}

}  // namespace tessera::distributed::detail
