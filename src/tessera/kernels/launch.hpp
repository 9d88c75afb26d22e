// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/kernels/teams.hpp>

namespace tessera::kernels {

using detail::teams_of_one;
using summation::Index;

/// Kokkos' team with the number of its work.
template <class Member>
struct NumberedTeam {
  Member const& member;
  Index number;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index league_rank() const { return number; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int team_rank() const { return member.team_rank(); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int team_size() const { return member.team_size(); }
  KOKKOS_FORCEINLINE_FUNCTION void team_barrier() const { member.team_barrier(); }
};

/// Host teams take their work from Shares.
template <class Exec, class T, class Kernel>
struct OnTeams {
  using Member = detail::Member<Exec>;
  Kernel kernel;
  detail::Shares* shares;  ///< null: teams do the work of their league rank
  Index scratch;
  int level;

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    backends::host::OrdinaryArithmetic const mode;
    T* const memory = detail::team_scratch<T>(member, level, scratch);
    if constexpr (teams_of_one<Exec>) {
      if (shares != nullptr) {
        return shares->run(member.league_rank(),
                           [&](Index team) { kernel(NumberedTeam<Member>{member, team}, memory); });
      }
    }
    kernel(NumberedTeam<Member>{member, member.league_rank()}, memory);
  }
};

/// @throws std::invalid_argument for too many or too large teams, or too much scratch
template <class T, int MaxThreads, class Exec, class Kernel>
void run_teams(Exec const& exec, std::string const& label, Index teams, int threads,
               Kernel const& kernel) {
  if (teams > std::numeric_limits<int>::max()) {
    throw std::invalid_argument(label + ": " + std::to_string(teams) +
                                " teams are more than Kokkos launches; choose larger tiles");
  }
  int const most = teams_of_one<Exec> ? exec.concurrency() : MaxThreads;
  if (threads > most) {
    throw std::invalid_argument(label + ": a team has at most " + std::to_string(most) +
                                (most == 1 ? " thread" : " threads") + " here, found " +
                                std::to_string(threads));
  }
  Index const scratch = kernel.scratch();
  std::size_t const bytes = detail::scratch_bytes<T>(scratch);
  if (bytes > detail::max_scratch<Exec>()) {
    throw std::invalid_argument(
        label + ": teams need " + std::to_string(bytes) + " bytes of scratch each, and can have " +
        std::to_string(detail::max_scratch<Exec>()) + "; choose smaller tiles");
  }
  int const level = detail::scratch_level<Exec>(bytes);
  int const count = static_cast<int>(teams);
  bool const in_shares = teams_of_one<Exec> && threads == 1;
  int const workers = in_shares ? std::min(count, exec.concurrency()) : count;
  std::optional<detail::Shares> shares;
  if (in_shares) shares.emplace(teams, workers);
  Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<static_cast<unsigned>(MaxThreads), 1>,
                     Kokkos::Schedule<Kokkos::Static>>
      policy(exec, workers, threads);
  if (bytes > 0) policy.set_scratch_size(level, Kokkos::PerTeam(bytes));
  detail::launch(label, policy,
                 OnTeams<Exec, T, Kernel>{kernel, shares ? &*shares : nullptr, scratch, level});
}

}  // namespace tessera::kernels
