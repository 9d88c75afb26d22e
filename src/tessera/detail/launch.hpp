// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/host/arithmetic.hpp>
#include <tessera/backends/host/cache.hpp>
#include <tessera/detail/label.hpp>
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

/// A team of one host thread, as kernels see it: its place in the league, and its scratch, aligned
/// to a cache line; of no use where none was asked for.
template <class T>
struct HostTeam {
  Index league_rank;
  T* scratch;
};

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

/// What Kokkos calls for each worker.
template <class Exec, class T, class Kernel>
struct OnTeams {
  Kernel kernel;
  Shares* shares;
  Index scratch;
  int level;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    backends::host::OrdinaryArithmetic const mode;
    T* const memory = team_scratch<T>(member, level, scratch);
    shares->run(member.league_rank(), [&](Index team) { kernel(HostTeam<T>{team, memory}); });
  }
};

/// Scratch, in bytes, up to which a team can have it on the stack of its thread.
inline constexpr std::size_t most_scratch_on_stack = 32768;

/// What runs a team in the thread that it is called in, with `bytes` of scratch on the stack: at
/// the far end of what there is room for. Next to the frames of what is called, in the same page,
/// it cost up to a tenth (256 x 256 floats, Aᵀ·b in a thread of Zen 4, by where the stack happened
/// to be: 2.43 to 2.67 us, 2.43 so).
template <class T, class Kernel>
struct OnStack {
  static constexpr std::size_t alignment = 64;
  Kernel kernel;
  std::size_t bytes;

  KOKKOS_FUNCTION void operator()(int league_rank) const {
    backends::host::OrdinaryArithmetic const mode;
    alignas(alignment) unsigned char room[most_scratch_on_stack];  // NOLINT: not initialised
    std::size_t const first = (most_scratch_on_stack - bytes) / alignment * alignment;
    kernel(HostTeam<T>{league_rank, reinterpret_cast<T*>(room + first)});
  }
};

/// Runs the only team in the caller's thread, which Kokkos' tools see as any kernel.
template <class Exec, class Team>
void run_alone(Exec const& exec, std::string const& label, Team const& team) {
  std::uint64_t number = 0;
  Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &number);
  team(0);
  Kokkos::Tools::endParallelFor(number);
}

/// Runs `kernel` on `teams` teams of one thread with `scratch` scalars each, which read `bytes` in
/// all, or compute for long. One team runs in the caller's thread: others need not be started,
/// which takes 0.6 to 1.6 us for two. Small ones are dealt in turn by a RangePolicy: on 2 threads
/// of Zen 4, in us, 2 | 16 teams, 1.15 | 1.15; by a TeamPolicy with Static 1.63 | 1.65. Returns
/// when all teams are done.
template <class T, class Exec, class Kernel>
void for_each_team(Exec const& exec, std::string const& label, Index teams, Index scratch,
                   Kernel const& kernel, Index bytes = std::numeric_limits<Index>::max()) {
  if (teams > std::numeric_limits<int>::max()) {
    throw std::invalid_argument(label + ": " + std::to_string(teams) +
                                " teams are more than Kokkos launches; choose larger tiles");
  }
  std::size_t const bytes_of_team = scratch_bytes<T>(scratch);
  if (bytes_of_team > max_scratch<Exec>()) {
    throw std::invalid_argument(label + ": teams need " + std::to_string(bytes_of_team) +
                                " bytes of scratch each, and can have " +
                                std::to_string(max_scratch<Exec>()) + "; choose smaller tiles");
  }
  int const count = static_cast<int>(teams);
  if (bytes_of_team <= most_scratch_on_stack) {
    OnStack<T, Kernel> const team{kernel, bytes_of_team};
    if (count == 1) return run_alone(exec, label, team);
    if (bytes <= backends::host::small_bytes) {
      using Policy =
          Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<int>>;
      return detail::launch(label, Policy(exec, 0, count, Kokkos::ChunkSize(1)), team);
    }
  }
  int const level = scratch_level<Exec>(bytes_of_team);
  int const workers = std::min(count, exec.concurrency());
  Shares shares(teams, workers);  // hosts' kernels return when all is done
  Kokkos::TeamPolicy<Exec, Kokkos::Schedule<Kokkos::Static>> policy(exec, workers, 1);
  if (bytes_of_team > 0) policy.set_scratch_size(level, Kokkos::PerTeam(bytes_of_team));
  detail::launch(label, policy, OnTeams<Exec, T, Kernel>{kernel, &shares, scratch, level});
}

/// What Kokkos calls for each block of elements on a host.
template <class Body>
struct OnElements {
  Body body;
  Index count;
  Index of_block;

  KOKKOS_FUNCTION void operator()(Index block) const {
    backends::host::OrdinaryArithmetic const mode;
    Index const end = Kokkos::min(count, (block + 1) * of_block);
    for (Index i = block * of_block; i < end; ++i) body(i);
  }
};

/// Runs body(i) for 0 <= i < count: elements that are computed by themselves.
template <class Exec, class Body>
void for_each_element(Exec const& exec, std::string const& label, Index count, Body const& body) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
  if constexpr (backends::Backend<Exec>::is_gpu) {
    detail::launch(label, Policy(exec, 0, count), body);
  } else {
    constexpr Index most = 4096;
    Index const of_block =
        std::clamp(summation::ceil_div(count, Index{4} * exec.concurrency()), Index{1}, most);
    detail::launch(label, Policy(exec, 0, summation::ceil_div(count, of_block)),
                   OnElements<Body>{body, count, of_block});
  }
}

}  // namespace tessera::detail
