// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bench/published/options.hpp>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/host/launch.hpp>
#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/checks.hpp>

/// Teams of variants and their tiles.
namespace tessera::published::detail {

using tessera::detail::Member;

inline constexpr int most_team_threads = 1024;
/// Below Kokkos' limit.
inline constexpr Index most_teams = Index{1} << 30;

/// Limits registers for teams of 1024 threads.
template <class Exec>
using TeamPolicy =
    Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<static_cast<unsigned>(most_team_threads), 1>>;

template <class Exec>
struct Nothing {
  KOKKOS_FUNCTION void operator()(Member<Exec> const& /*member*/) const {}
};

/// 1024 on GPUs, the instance's threads on hosts.
template <class Exec>
int most_threads(Exec const& exec) {
  int const found =
      TeamPolicy<Exec>(exec, 1, 1).team_size_max(Nothing<Exec>{}, Kokkos::ParallelForTag{});
  return std::min(found, most_team_threads);
}

/// Throws if Kokkos expects more threads than a kernel gets: a team would deadlock, and teams of
/// missing threads would be skipped.
template <class Exec>
void require_all_threads(std::string_view label, Exec const& exec) {
  using Backend = backends::Backend<Exec>;
  if constexpr (!Backend::is_gpu) {
    if (Backend::has_all_threads(exec)) return;
    throw std::runtime_error(std::string(label) + ": Kokkos counts on " +
                             std::to_string(exec.concurrency()) +
                             " threads, and OpenMP may start fewer (OMP_THREAD_LIMIT, OMP_DYNAMIC, "
                             "OMP_MAX_ACTIVE_LEVELS, or a parallel region around the call); start "
                             "Kokkos with as many as there are");
  }
}

template <class Exec>
TeamShape default_team(Exec const& exec, TeamShape published) {
  return published.threads() <= most_threads(exec) ? published : TeamShape{1, 1};
}

inline std::string text_of(TeamShape team) {
  return std::to_string(team.rows) + " x " + std::to_string(team.cols);
}

template <class Exec>
TeamShape checked_team(std::string_view name, Exec const& exec, TeamShape requested,
                       TeamShape preset) {
  TeamShape const team = requested == TeamShape{} ? preset : requested;
  if (team.rows < 1 || team.cols < 1) {
    checks::fail(name, "a team must have at least one row and one column of threads, found " +
                           text_of(team));
  }
  int const most = most_threads(exec);
  if (team.threads() > most) {
    checks::fail(name, "a team of " + text_of(team) + " has " + std::to_string(team.threads()) +
                           " threads, and " + backends::Backend<Exec>::name + " has at most " +
                           std::to_string(most) + " for a team");
  }
  return team;
}

template <class Exec>
void require_teams(std::string_view name, VariantOptions<Exec> const& options) {
  if (options.teams < 0 || options.teams > most_teams) {
    checks::fail(name, "teams must be 0 to " + std::to_string(most_teams) + ", found " +
                           std::to_string(options.teams));
  }
}

template <class Exec>
void require_no_tile(std::string_view name, VariantOptions<Exec> const& options) {
  if (options.tile != 0 || options.tiling != Tiling::automatic) {
    checks::fail(name, "this variant has no tile: leave tile and tiling alone");
  }
}

inline void require_tile(std::string_view name, Index tile) {
  constexpr Index most = Index{1} << 30;
  if (tile < 0 || tile > most) {
    checks::fail(name, "a tile must have 0 to " + std::to_string(most) + " scalars, found " +
                           std::to_string(tile));
  }
}

template <class T, class Exec>
void require_scratch(std::string_view name, Index scalars) {
  auto const most = static_cast<std::size_t>(Kokkos::TeamPolicy<Exec>::scratch_size_max(0));
  std::size_t const bytes = tessera::detail::scratch_bytes<T>(scalars);
  if (bytes > most) {
    checks::fail(name, "team and tile need " + std::to_string(bytes) +
                           " bytes of scratch, and a team has " + std::to_string(most));
  }
}

template <class Exec, class T, class Kernel>
struct EachTile {
  Index tiles;
  Index scalars;
  Kernel kernel;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    backends::host::OrdinaryArithmetic const mode;
    T* const scratch = tessera::detail::team_scratch<T>(member, 0, scalars);
    for (Index tile = member.league_rank(); tile < tiles; tile += member.league_size()) {
      kernel(member, tile, scratch);
    }
  }
};

/// `teams` 0: one per tile. `scalars`: of T, in scratch. All threads of a team get the same tiles
/// in order.
template <class T, class Exec, class Kernel>
void for_each_tile(Exec const& exec, std::string const& label, Index tiles, Index teams,
                   TeamShape team, Index scalars, Kernel const& kernel) {
  Index const most = teams > 0 ? teams : most_teams;
  require_all_threads(label, exec);
  TeamPolicy<Exec> policy(exec, static_cast<int>(std::min(tiles, most)),
                          static_cast<int>(team.threads()));
  if (scalars > 0) {
    policy.set_scratch_size(0, Kokkos::PerTeam(tessera::detail::scratch_bytes<T>(scalars)));
  }
  Kokkos::parallel_for(label, policy, EachTile<Exec, T, Kernel>{tiles, scalars, kernel});
}

}  // namespace tessera::published::detail
