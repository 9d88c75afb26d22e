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
  /// The first rank that failed.
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// Its message.
  [[nodiscard]] std::string const& sentence() const noexcept { return sentence_; }

 private:
  int rank_;
  std::string sentence_;
};

/// A rank's memory limit is too small. All ranks throw it.
class DistributedLimitError : public DistributedError {
 public:
  /// @param rank   the rank with the greatest need
  /// @param what   its message
  /// @param needed bytes that it needs
  DistributedLimitError(int rank, std::string const& what, std::size_t needed)
      : DistributedError(rank, what), needed_(needed) {}
  /// A limit in bytes that is enough for every rank.
  [[nodiscard]] std::size_t needed() const noexcept { return needed_; }

 private:
  std::size_t needed_;
};

}  // namespace tessera
