// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <app/base/failure.hpp>

/// Collective functions are in app/ranks, with MPI and without.
namespace tessera::app {

/// Without mpirun there is one.
struct Ranks {
  int rank = 0;
  int size = 1;
  int on_host = 0;  ///< rank on this host
  int host_size = 1;
  /// Default host threads: processors divided by the ranks that share them. 0: as without ranks.
  int threads = 0;
  /// Each rank's text. Collective, also for failed ranks.
  std::vector<std::string> (*gather)(std::string const& mine) = nullptr;

  /// Collective.
  [[nodiscard]] bool any(bool mine) const;
  [[nodiscard]] bool are_many() const { return size > 1; }
  /// It writes results and messages.
  [[nodiscard]] bool is_first() const { return rank == 0; }
};

inline Ranks& ranks() {
  static Ranks all;
  return all;
}

struct RankFacts {
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  double read_seconds = 0;
  bool streams = false;
  std::uint64_t bytes_read = 0;
  double seconds = 0;  ///< of a run, waiting included; 0: not measured
};

/// "expected X on each rank, as on rank 0, found Y on rank 2"; empty if equal. Collective; the same
/// on all ranks.
[[nodiscard]] std::string difference_of_ranks(std::string const& mine);

/// Refuses different command lines, whose messages would not match. Collective.
void require_same_request(std::vector<std::string> const& words);

/// By variables of launchers and TESSERA_MPI (docs/guide/environment.md). False for a child of an
/// MPI program, unless TESSERA_MPI is on.
[[nodiscard]] bool is_started_by_mpirun();

/// By variables of launchers, also of srun without PMIx. Empty if unknown, or if each process is a
/// run.
[[nodiscard]] std::string launched_processes();

/// Initialises MPI if mpirun started this process. Only the first rank keeps stdout and stderr. A
/// rank ends with its launcher.
class RanksSession {
 public:
  /// @throws Failure resources for several processes without MPI, or if MPI sees one in each
  explicit RanksSession(char const* const* argv);
  ~RanksSession();  // NOLINT(performance-trivially-destructible): not in the program with MPI
  RanksSession(RanksSession const&) = delete;
  RanksSession& operator=(RanksSession const&) = delete;
};

/// If work() throws on a rank, all throw a Failure with that sentence and status.
ExitStatus on_all_ranks(std::function<ExitStatus()> const& work);

/// Empty without MPI.
[[nodiscard]] std::string mpi_version();

}  // namespace tessera::app
