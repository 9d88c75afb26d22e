// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace tessera::io {

using ReadPacked = std::function<void(std::uint64_t offset, std::span<std::byte> to)>;

/// Raw deflate with a CRC-32; reading backwards restarts at the beginning. Without zlib,
/// deflated_part_missing.cpp replaces this.
class DeflatedPart {
 public:
  struct Place {
    std::uint64_t offset = 0;
    std::uint64_t packed = 0;
    std::uint64_t bytes = 0;
    std::uint32_t crc = 0;
  };

  DeflatedPart(Place const& place, std::string name);
  ~DeflatedPart();
  DeflatedPart(DeflatedPart const&) = delete;
  DeflatedPart& operator=(DeflatedPart const&) = delete;

  /// Thread-safe.
  void read(std::uint64_t offset, std::span<std::byte> to, ReadPacked const& read_packed);

  /// Checks size and CRC-32.
  void check_end(ReadPacked const& read_packed);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::io
