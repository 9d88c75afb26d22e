// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace tessera {

/// An error of one rank, which all ranks throw.
class DistributedError : public std::runtime_error {
 public:
  DistributedError(int rank, std::string const& what)
      : std::runtime_error("rank " + std::to_string(rank) + ": " + what),
        rank_(rank),
        sentence_(what) {}
  /// Whose error it is; of several, the first's.
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// What that rank has said.
  [[nodiscard]] std::string const& sentence() const noexcept { return sentence_; }

 private:
  int rank_;
  std::string sentence_;
};

/// The limit of memory of one rank is too small, or of several: all ranks throw it.
class DistributedLimitError : public DistributedError {
 public:
  /// @param rank   the one with the greatest need
  /// @param what   the message of that rank
  /// @param needed bytes that this rank needs
  DistributedLimitError(int rank, std::string const& what, std::size_t needed)
      : DistributedError(rank, what), needed_(needed) {}
  /// Bytes of a limit that is enough for every rank, if all have the same.
  [[nodiscard]] std::size_t needed() const noexcept { return needed_; }

 private:
  std::size_t needed_;
};

}  // namespace tessera
