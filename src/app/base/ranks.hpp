// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

/// Of this process. The session that begins them (app/ranks) sets it.
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

/// A line for each.
[[nodiscard]] std::vector<std::string> lines_of(std::vector<RankFacts> const& ranks);

}  // namespace tessera::app
