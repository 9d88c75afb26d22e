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

/// Reads bytes of the file that contains the part.
using ReadPacked = std::function<void(std::uint64_t offset, std::span<std::byte> to)>;

/// A part of a file that zlib unpacks: raw deflate, with the CRC-32 of its content. It is read
/// sequentially with a few ten KiB of memory; reading backwards restarts at the beginning.
/// Optional: if CMake finds no zlib, deflated_part_missing.cpp replaces this.
class DeflatedPart {
 public:
  /// Position and size of the part, as its archive records them.
  struct Place {
    std::uint64_t offset = 0;  ///< bytes from the start of the file
    std::uint64_t packed = 0;  ///< bytes in the file
    std::uint64_t bytes = 0;   ///< bytes of its content
    std::uint32_t crc = 0;     ///< of the content
  };

  /// @param name of the file, for messages
  /// @throws FileError bad_input if so few packed bytes cannot hold the content, or without zlib
  DeflatedPart(Place const& place, std::string name);
  ~DeflatedPart();
  DeflatedPart(DeflatedPart const&) = delete;
  DeflatedPart& operator=(DeflatedPart const&) = delete;

  /// Fills `to` from `offset`. Thread-safe; calls are served one at a time.
  /// @throws FileError bad_input if the part is damaged, or ends before `to` is full
  void read(std::uint64_t offset, std::span<std::byte> to, ReadPacked const& read_packed);

  /// Reads to the end. @throws FileError bad_input if the size or the CRC-32 differs from the
  /// recorded one
  void check_end(ReadPacked const& read_packed);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::io
