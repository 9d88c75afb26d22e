// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/arithmetic.hpp>
#include <tessera/detail/launch.hpp>

namespace tessera::kernels {

using summation::Index;

/// What Kokkos calls for each team: a kernel, with its scratch.
template <class Exec, class T, class Kernel>
struct OnTeams {
  Kernel kernel;
  Index scratch;
  int level;

  KOKKOS_FUNCTION void operator()(detail::Member<Exec> const& team) const {
    backends::host::OrdinaryArithmetic const mode;
    kernel(team, detail::team_scratch<T>(team, level, scratch));
  }
};

/// Runs kernel(team, scratch) on teams of so many threads, MaxThreads at most.
template <class T, int MaxThreads, class Exec, class Kernel>
void run_teams(Exec const& exec, std::string const& label, Index teams, int threads,
               Kernel const& kernel) {
  if (teams > std::numeric_limits<int>::max()) {
    throw std::invalid_argument(label + ": " + std::to_string(teams) +
                                " teams are more than Kokkos launches; choose larger tiles");
  }
  Index const scratch = kernel.scratch();
  std::size_t const bytes = detail::scratch_bytes<T>(scratch);
  if (bytes > detail::max_scratch<Exec>()) {
    throw std::invalid_argument(
        label + ": teams need " + std::to_string(bytes) + " bytes of scratch each, and can have " +
        std::to_string(detail::max_scratch<Exec>()) + "; choose smaller tiles");
  }
  int const level = detail::scratch_level<Exec>(bytes);
  Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<static_cast<unsigned>(MaxThreads), 1>,
                     Kokkos::Schedule<Kokkos::Dynamic>>
      policy(exec, static_cast<int>(teams), threads);
  if (bytes > 0) policy.set_scratch_size(level, Kokkos::PerTeam(bytes));
  detail::launch(label, policy, OnTeams<Exec, T, Kernel>{kernel, scratch, level});
}

}  // namespace tessera::kernels
