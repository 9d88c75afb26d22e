// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>

#include <app/base/failure.hpp>

namespace tessera::app {

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
