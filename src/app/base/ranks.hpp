// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <app/base/failure.hpp>

/// The processes of a run. What they do together is in app/ranks: by MPI, or not at all.
namespace tessera::app {

/// The processes that mpirun has started together; one without it.
struct Ranks {
  int rank = 0;
  int size = 1;
  int on_host = 0;    ///< its number among those on its host
  int host_size = 1;  ///< how many are on its host
  /// Host threads if no option and no variable decides: the processors of this process, divided by
  /// the ranks that share them. 0: as without ranks.
  int threads = 0;
  /// Each rank's text, by rank: all call it. A rank that has failed meets the others there.
  std::vector<std::string> (*gather)(std::string const& mine) = nullptr;

  /// Whether it is so on one of several: all call it.
  [[nodiscard]] bool any(bool mine) const;
  [[nodiscard]] bool are_many() const { return size > 1; }
  /// The first one writes results, and speaks for all.
  [[nodiscard]] bool is_first() const { return rank == 0; }
};

/// Of this process. RanksSession sets it.
inline Ranks& ranks() {
  static Ranks all;
  return all;
}

/// What a report says of a rank.
struct RankFacts {
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  double read_seconds = 0;
  bool streams = false;          ///< reads a part of the file, and has no rows in memory
  std::uint64_t bytes_read = 0;  ///< of a stream
  double seconds = 0;            ///< of a run, waiting for others included; 0: not measured
};

/// How ranks differ in what each has: "expected X on each rank, as on rank 0, found Y on rank 2".
/// Empty: they do not, or there is one. All call it, and all get the same.
[[nodiscard]] std::string difference_of_ranks(std::string const& mine);

/// Refuses ranks that were asked for different things: then they would send each other different
/// messages. All call it.
/// @param words the command and its options, as parse_options gives them
/// @throws Failure usage, on all
void require_same_request(std::vector<std::string> const& words);

/// Whether this process is one of those that mpirun, or another launcher, has started together: by
/// what each of them sets. Not if TESSERA_MPI is off, and not if a process of an MPI program has
/// started it, unless TESSERA_MPI is on. @throws Failure usage for another value of it
[[nodiscard]] bool is_started_by_mpirun();

/// How many processes the launcher has started together with this one, as it says, srun without
/// PMIx too. Empty: none has, none says how many, or each is to be a run of its own.
[[nodiscard]] std::string launched_processes();

/// MPI, from its start to its end, where mpirun has started this process; else nothing. The first
/// rank alone keeps its stdout and stderr. A rank ends with its launcher.
class RanksSession {
 public:
  /// @param argv the program's arguments, with a null behind the last
  /// @throws Failure resources where there are several processes and no MPI in this build, or where
  ///         each is alone for its MPI; usage
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
