// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <string>

#include <app/base/failure.hpp>

namespace tessera::app {

/// Whether an mpirun has started this process, by what each of them sets.
inline bool is_started_by_mpirun() {
  std::initializer_list<char const*> const names{"OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMIX_RANK"};
  return std::ranges::any_of(names, [](char const* name) { return std::getenv(name) != nullptr; });
}

/// MPI, from its start to its end, where mpirun has started this process; else nothing. The first
/// rank alone keeps its stdout and stderr.
class RanksSession {
 public:
  /// @param argv the program's arguments, with a null behind the last
  /// @throws Failure resources where there are several processes and no MPI in this build
  explicit RanksSession(char const* const* argv);
  ~RanksSession();  // NOLINT(performance-trivially-destructible): not in the program with MPI
  RanksSession(RanksSession const&) = delete;
  RanksSession& operator=(RanksSession const&) = delete;
};

/// work() on each of several ranks. Where it throws on one, all throw a Failure with that rank's
/// sentence and status.
ExitStatus on_all_ranks(std::function<ExitStatus()> const& work);

/// The library, as it names itself; empty: left out.
[[nodiscard]] std::string mpi_version();

}  // namespace tessera::app
