// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bit>
#include <cstddef>
#include <string>
#include <string_view>

#include <io/matrix_info.hpp>

namespace tessera::io {

struct NpyType {
  ElementType type = ElementType::f32;
  std::endian byte_order = std::endian::little;
};

/// f2 … f8, i1 … i8, u1 … u8 after '<' or '>'; '=', '|' and no sign: the order of this machine.
[[nodiscard]] NpyType npy_type(std::string_view descr, std::string const& path);

/// Text of a file for messages: '?' except for printable ASCII.
[[nodiscard]] std::string printable(std::string_view text, std::size_t longest = 40);

}  // namespace tessera::io
