// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <io/input_file.hpp>

namespace tessera::io {

// The part of Zip that .npz files need: members that are stored or deflated, also with 64-bit sizes
// (zip64).

/// A member as the archive's directory lists it.
struct ZipMember {
  std::string name;
  bool deflated = false;     ///< else stored
  std::uint64_t offset = 0;  ///< offset of its bytes in the file
  std::uint64_t packed = 0;  ///< bytes in the file
  std::uint64_t bytes = 0;   ///< bytes of its content
  std::uint32_t crc = 0;     ///< CRC-32 of the content
};

/// Finds the array `name` of an .npz file: the member NAME.npy, or else the member NAME.
/// @throws FileError bad_input if the archive is damaged, if it has no such member (the message
/// lists its members) or more than one, or if the compression method is not supported
[[nodiscard]] ZipMember find_array(InputFile const& file, std::string const& name);

/// The names of all arrays of an .npz file, in the order of its directory.
/// @throws FileError bad_input if the archive is damaged
[[nodiscard]] std::vector<std::string> arrays_of(InputFile const& file);

}  // namespace tessera::io
