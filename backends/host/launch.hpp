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

#include <tessera/backends/host/cache.hpp>
#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/kernels/teams.hpp>
#include <tessera/order/lines.hpp>

namespace tessera::detail {

/// `scratch` is aligned to a cache line; valid only if requested.
template <class T>
struct HostTeam {
  Index league_rank;
  T* scratch;
};

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

inline constexpr std::size_t most_scratch_on_stack = 32768;

/// Places scratch at the far end of a stack buffer: in the page of called functions' frames it is
/// slower.
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

template <class Exec, class Team>
void run_alone(Exec const& exec, std::string const& label, Team const& team) {
  std::uint64_t number = 0;
  Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &number);
  team(0);
  Kokkos::Tools::endParallelFor(number);
}

/// Waits for `teams` teams of one thread. `bytes`: what all read, or a large number if they compute
/// for long. Small kernels use a RangePolicy, which starts faster than a TeamPolicy.
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
  Shares shares(teams, workers);
  Kokkos::TeamPolicy<Exec, Kokkos::Schedule<Kokkos::Static>> policy(exec, workers, 1);
  if (bytes_of_team > 0) policy.set_scratch_size(level, Kokkos::PerTeam(bytes_of_team));
  detail::launch(label, policy, OnTeams<Exec, T, Kernel>{kernel, &shares, scratch, level});
}

}  // namespace tessera::detail
