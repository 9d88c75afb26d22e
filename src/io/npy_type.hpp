// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bit>
#include <cstddef>
#include <string>
#include <string_view>

#include <io/matrix_info.hpp>

namespace tessera::io {

/// An element type of NumPy that Tessera can read.
struct NpyType {
  ElementType type = ElementType::f32;
  std::endian byte_order = std::endian::little;
};

/// Understands f2, f4, f8, i1, i2, i4, i8, u1, u2, u4 and u8 with '<' or '>' before them; '=' and
/// '|' or no sign mean the order of this machine.
/// @param path for messages
/// @throws FileError bad_input, which names the type in words
[[nodiscard]] NpyType npy_type(std::string_view descr, std::string const& path);

/// Text of a file, safe for a message: at most `longest` characters, with '?' for everything except
/// printable ASCII.
[[nodiscard]] std::string printable(std::string_view text, std::size_t longest = 40);

}  // namespace tessera::io
