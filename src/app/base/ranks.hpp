// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <app/base/failure.hpp>

/// The processes of a run. Their collective functions are in app/ranks, with and without MPI.
namespace tessera::app {

/// The processes that mpirun has started together. Without mpirun there is one.
struct Ranks {
  int rank = 0;
  int size = 1;
  int on_host = 0;    ///< rank among the processes of this host
  int host_size = 1;  ///< processes on this host
  /// Host threads if no option and no variable decides: the processors of this process, divided by
  /// the ranks that share them. 0: the default of a run without ranks.
  int threads = 0;
  /// Returns the text of each rank, by rank. Collective, also for a rank that has failed.
  std::vector<std::string> (*gather)(std::string const& mine) = nullptr;

  /// True if `mine` is true on any rank. Collective.
  [[nodiscard]] bool any(bool mine) const;
  [[nodiscard]] bool are_many() const { return size > 1; }
  /// The first rank writes results and prints messages.
  [[nodiscard]] bool is_first() const { return rank == 0; }
};

/// The ranks of this process. RanksSession sets them.
inline Ranks& ranks() {
  static Ranks all;
  return all;
}

/// What a report shows about a rank.
struct RankFacts {
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  double read_seconds = 0;
  bool streams = false;          ///< reads a part of the file and keeps no rows in memory
  std::uint64_t bytes_read = 0;  ///< of a stream
  double seconds = 0;            ///< of a run, including the time it waited for others; 0: not
                                 ///< measured
};

/// A sentence about values that differ between ranks: "expected X on each rank, as on rank 0, found
/// Y on rank 2". Empty if they are equal or if there is one rank. Collective. All ranks get the
/// same text.
[[nodiscard]] std::string difference_of_ranks(std::string const& mine);

/// Refuses ranks whose command lines differ: their messages would not match. Collective.
/// @param words the command and its options, from parse_options
/// @throws Failure usage, on all
void require_same_request(std::vector<std::string> const& words);

/// Whether mpirun or another launcher started this process as one of several, judged by the
/// variables that each launcher sets. False if TESSERA_MPI is off. False if a process of an MPI
/// program started it, unless TESSERA_MPI is on.
/// @throws Failure usage for another value of TESSERA_MPI
[[nodiscard]] bool is_started_by_mpirun();

/// How many processes the launcher started together with this one, by its own variables; srun
/// without PMIx counts. Empty if no launcher did, if it does not set the number, or if each process
/// is to be a separate run.
[[nodiscard]] std::string launched_processes();

/// Initialises MPI and finalises it at the end, if mpirun has started this process. Otherwise does
/// nothing. Only the first rank keeps its stdout and stderr. A rank ends when its launcher ends.
class RanksSession {
 public:
  /// @param argv the program's arguments, null-terminated
  /// @throws Failure resources if there are several processes and this build has no MPI, or if MPI
  /// sees each process as a single one; usage
  explicit RanksSession(char const* const* argv);
  ~RanksSession();  // NOLINT(performance-trivially-destructible): not in the program with MPI
  RanksSession(RanksSession const&) = delete;
  RanksSession& operator=(RanksSession const&) = delete;
};

/// Runs work() on each rank. If it throws on one, all ranks throw a Failure with the sentence and
/// status of that rank.
ExitStatus on_all_ranks(std::function<ExitStatus()> const& work);

/// Name and version of the MPI library; empty: not reported.
[[nodiscard]] std::string mpi_version();

}  // namespace tessera::app
