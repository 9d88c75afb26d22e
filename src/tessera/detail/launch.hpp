// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/detail/lines.hpp>

namespace tessera::detail {

/// The handle of a team in a kernel of `Exec`.
template <class Exec>
using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

/// Bytes of scratch that a team can have.
template <class Exec>
std::size_t max_scratch() {
  return static_cast<std::size_t>(Kokkos::TeamPolicy<Exec>::scratch_size_max(1));
}

/// Bytes of scratch for `count` scalars, with room for their alignment.
template <class T>
constexpr std::size_t scratch_bytes(Index count) {
  return count == 0 ? 0 : static_cast<std::size_t>(count) * sizeof(T) + 64;
}

/// The scratch level that holds so many bytes.
template <class Exec>
int scratch_level(std::size_t bytes) {
  auto const fast = static_cast<std::size_t>(Kokkos::TeamPolicy<Exec>::scratch_size_max(0));
  return bytes <= fast ? 0 : 1;
}

/// `count` scalars of the team's scratch, aligned to a cache line; null for none.
template <class T, class Team>
KOKKOS_INLINE_FUNCTION T* team_scratch(Team const& member, int level, Index count) {
  if (count == 0) return nullptr;
  return static_cast<T*>(member.team_scratch(level).get_shmem_aligned(
      static_cast<std::size_t>(count) * sizeof(T), 64));
}

/// Runs `kernel` on `teams` teams of one thread with `bytes` of scratch each.
template <class Exec, class Kernel>
void for_each_team(Exec const& exec, std::string const& label, Index teams, std::size_t bytes,
                   Kernel const& kernel) {
  if (teams > std::numeric_limits<int>::max()) {
    throw std::length_error(label + ": more teams than Kokkos can launch; choose larger tiles");
  }
  auto const launch = [&]<class Schedule>(Schedule) {
    Kokkos::TeamPolicy<Exec, Schedule> policy(exec, static_cast<int>(teams), 1);
    if (bytes > 0) policy.set_scratch_size(scratch_level<Exec>(bytes), Kokkos::PerTeam(bytes));
    Kokkos::parallel_for(label, policy, kernel);
  };
  // Dealing teams out while they run evens out threads of uneven speed, and costs more to start.
  if (teams <= exec.concurrency()) {
    launch(Kokkos::Schedule<Kokkos::Static>{});
  } else {
    launch(Kokkos::Schedule<Kokkos::Dynamic>{});
  }
}

}  // namespace tessera::detail
