// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <Kokkos_Core.hpp>

#include <tessera/summation.hpp>

namespace tessera::detail {

using summation::Index;

/// True on hosts. On a GPU many threads share a line to hide latency.
template <class Exec>
inline constexpr bool teams_of_one =
    bool(Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible);

template <class Exec>
using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

template <class Exec>
std::size_t max_scratch() {
  return static_cast<std::size_t>(Kokkos::TeamPolicy<Exec>::scratch_size_max(1));
}

template <class T>
constexpr std::size_t scratch_bytes(Index count) {
  return count == 0 ? 0 : static_cast<std::size_t>(count) * sizeof(T) + 64;
}

template <class Exec>
int scratch_level(std::size_t bytes) {
  auto const fast = static_cast<std::size_t>(Kokkos::TeamPolicy<Exec>::scratch_size_max(0));
  return bytes <= fast ? 0 : 1;
}

/// Aligned to 64 bytes; null if `count` is 0.
template <class T, class Team>
KOKKOS_INLINE_FUNCTION T* team_scratch(Team const& member, int level, Index count) {
  if (count == 0) return nullptr;
  return static_cast<T*>(member.team_scratch(level).get_shmem_aligned(
      static_cast<std::size_t>(count) * sizeof(T), 64));
}

/// A worker runs the teams of its share in order, then the rest of others, so that threads of
/// uneven speed finish together. One worker can run all: OpenMP may provide fewer threads than
/// Kokkos requests (OMP_THREAD_LIMIT, OMP_DYNAMIC, nested regions), and Kokkos skips their workers.
class Shares {
 public:
  Shares(Index teams, int workers)
      : count_(static_cast<int>(std::min(Index{most}, std::min(teams, Index{workers})))) {
    for (int s = 0; s < count_; ++s) {
      share_[s] = {teams * s / count_, teams * (s + 1) / count_};
    }
  }
  Shares(Shares const&) = delete;
  Shares& operator=(Shares const&) = delete;

  template <class Body>
  KOKKOS_INLINE_FUNCTION void run(int worker, Body const& body) {
    for (int s = 0; s < count_; ++s) {
      Share& share = share_[(worker + s) % count_];
      // Check first: taking a team writes a cache line that others need.
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
