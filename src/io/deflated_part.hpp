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

/// Reads bytes of the file that a part is in.
using ReadPacked = std::function<void(std::uint64_t offset, std::span<std::byte> to)>;

/// A part of a file that zlib unpacks: raw deflate, with the CRC-32 of what it holds. It is read
/// from its start to its end with a few ten KiB of memory; a step back begins anew. An optional
/// part of tessera: where CMake finds no zlib, deflated_part_missing.cpp stands in.
class DeflatedPart {
 public:
  /// Where it is, and what it says of itself.
  struct Place {
    std::uint64_t offset = 0;  ///< bytes from the start of the file
    std::uint64_t packed = 0;  ///< bytes in the file
    std::uint64_t bytes = 0;   ///< bytes that it holds
    std::uint32_t crc = 0;     ///< of these
  };

  /// @param name of the file, for messages
  /// @throws FileError bad_input where so few bytes cannot hold so many, or without zlib
  DeflatedPart(Place const& place, std::string name);
  ~DeflatedPart();
  DeflatedPart(DeflatedPart const&) = delete;
  DeflatedPart& operator=(DeflatedPart const&) = delete;

  /// Fills `to` from `offset` on. May be called from several threads, one after the other is
  /// served.
  /// @throws FileError bad_input where the part is damaged, or ends before that of `to`
  void read(std::uint64_t offset, std::span<std::byte> to, ReadPacked const& read_packed);

  /// Reads on to the end. @throws FileError bad_input where that is at another byte than the part
  /// says, or its CRC-32 is another
  void check_end(ReadPacked const& read_packed);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::io
