// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <io/input_file.hpp>

namespace tessera::io {

// The part that .npz files need: stored or deflated members, also with 64-bit sizes (zip64).

struct ZipMember {
  std::string name;
  bool deflated = false;
  std::uint64_t offset = 0;
  std::uint64_t packed = 0;
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;
};

/// NAME.npy, or else NAME.
/// @throws FileError also if no member or two members have this name
[[nodiscard]] ZipMember find_array(InputFile const& file, std::string const& name);

[[nodiscard]] std::vector<std::string> arrays_of(InputFile const& file);

}  // namespace tessera::io
