// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <Kokkos_Core.hpp>

#include <tessera/summation.hpp>

/// What launches of teams share.
namespace tessera::detail {

using summation::Index;

/// Whether threads of Exec have vector registers and a cache each, as a host's: then a thread alone
/// is a team. Else many threads hide how far memory is, and share a line.
template <class Exec>
inline constexpr bool teams_of_one =
    bool(Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible);

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

/// Teams that workers have still to run, in shares. A worker begins with a share of its own, in the
/// order of the teams, and goes on with what is left of the others': threads of uneven speed end
/// together, and none waits for another. So all teams run if any worker does: Kokkos' backends
/// count on threads that OpenMP may not give (OMP_THREAD_LIMIT, OMP_DYNAMIC, regions inside of
/// others), and leave out the workers of those.
class Shares {
 public:
  /// Of teams [0, teams).
  Shares(Index teams, int workers)
      : count_(static_cast<int>(std::min(Index{most}, std::min(teams, Index{workers})))) {
    for (int s = 0; s < count_; ++s) {
      share_[s] = {teams * s / count_, teams * (s + 1) / count_};
    }
  }
  Shares(Shares const&) = delete;
  Shares& operator=(Shares const&) = delete;

  /// body(team) for all teams that nobody has taken before.
  template <class Body>
  KOKKOS_INLINE_FUNCTION void run(int worker, Body const& body) {
    for (int s = 0; s < count_; ++s) {
      Share& share = share_[(worker + s) % count_];
      // Looked at first: to take one writes a line of the cache that others need.
      while (Kokkos::atomic_load(&share.next) < share.end) {
        Index const team = Kokkos::atomic_fetch_add(&share.next, Index{1});
        if (team < share.end) body(team);
      }
    }
  }

 private:
  static constexpr int most = 256;
  struct alignas(64) Share {
    Index next;
    Index end;
  };
  int count_;
  Share share_[most];  // NOLINT: as many are used as there are shares
};

}  // namespace tessera::detail
