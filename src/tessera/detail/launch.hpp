// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <stdexcept>

#include <Kokkos_Core.hpp>

#include <tessera/detail/lines.hpp>

namespace tessera::detail {

/// Teams take their work in turn: which team adds what changes no bit.
template <class Exec>
using TeamPolicy = Kokkos::TeamPolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>>;

/// A policy of `teams` teams of one thread with `scratch_bytes` of scratch each, and the scratch
/// level that holds them.
template <class Exec>
struct HostLaunch {
  TeamPolicy<Exec> policy;
  int level;

  HostLaunch(Exec const& exec, Index teams, std::size_t scratch_bytes)
      : policy(exec, checked_league(teams), 1), level(scratch_level(scratch_bytes)) {
    if (scratch_bytes > 0) {
      policy.set_scratch_size(level, Kokkos::PerTeam(scratch_bytes));
    }
  }
  /// Bytes of scratch that a team can have.
  static std::size_t max_scratch() {
    return static_cast<std::size_t>(TeamPolicy<Exec>::scratch_size_max(1));
  }

 private:
  static int checked_league(Index teams) {
    if (teams > std::numeric_limits<int>::max()) {
      throw std::length_error("tessera: more teams than Kokkos can launch; choose larger tiles");
    }
    return static_cast<int>(teams);
  }
  static int scratch_level(std::size_t bytes) {
    return bytes <= static_cast<std::size_t>(TeamPolicy<Exec>::scratch_size_max(0)) ? 0 : 1;
  }
};

/// Bytes of scratch for `count` scalars, with room for their alignment.
template <class T>
constexpr std::size_t scratch_bytes(Index count) {
  return count == 0 ? 0 : static_cast<std::size_t>(count) * sizeof(T) + 64;
}

/// `count` scalars of the team's scratch, aligned to a cache line; null for none.
template <class T, class Member>
KOKKOS_INLINE_FUNCTION T* team_scratch(Member const& member, int level, Index count) {
  if (count == 0) return nullptr;
  return static_cast<T*>(member.team_scratch(level).get_shmem_aligned(
      static_cast<std::size_t>(count) * sizeof(T), 64));
}

}  // namespace tessera::detail
