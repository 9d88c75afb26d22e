// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include <app/base/failure.hpp>

/// The processes of a run. What they do together is in app/ranks: by MPI, or not at all.
namespace tessera::app {

/// The processes that mpirun has started together; one without it.
struct Ranks {
  int rank = 0;
  int size = 1;
  int on_host = 0;  ///< its number among those on its host
  /// Whether one of several says so: all call it.
  bool (*any)(bool mine) = nullptr;

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
