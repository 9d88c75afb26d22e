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
  /// The rank that failed; if several did, the first one.
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// The error message of that rank.
  [[nodiscard]] std::string const& sentence() const noexcept { return sentence_; }

 private:
  int rank_;
  std::string sentence_;
};

/// The memory limit of at least one rank is too small. All ranks throw it.
class DistributedLimitError : public DistributedError {
 public:
  /// @param rank   the rank with the greatest need
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
