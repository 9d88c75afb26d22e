// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>

#include <app/base/ranks.hpp>
#include <app/base/text.hpp>
#include <io/memory.hpp>

namespace tessera::app {

std::vector<std::string> lines_of(std::vector<RankFacts> const& ranks) {
  std::vector<std::string> lines;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    RankFacts const& its = ranks[rank];
    std::string const name = "rank " + std::to_string(rank) + ": ";
    if (its.streams) {
      lines.push_back(name + io::format_bytes(its.bytes_read) + " read in " +
                      duration(its.seconds));
      continue;
    }
    lines.push_back(name + std::to_string(its.rows) + " rows from row " +
                    std::to_string(its.first_row) + " on, reading took " +
                    duration(its.read_seconds) +
                    (its.seconds > 0 ? ", a run " + duration(its.seconds) : std::string()));
  }
  return lines;
}

}  // namespace tessera::app
