// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <io/matrix_info.hpp>

namespace tessera::io {

/// The header of a .npy file.
struct NpyHeader {
  ElementType type = ElementType::f32;
  std::endian byte_order = std::endian::little;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;  ///< one or two dimensions
};

/// Reads a header: a Python dictionary with the keys 'descr', 'fortran_order' and 'shape', each
/// once, in any order; either kind of quotes; a comma after the last item allowed; nothing else.
/// @param path for messages
/// @throws FileError bad_input
[[nodiscard]] NpyHeader parse_npy_header(std::string_view text, std::string const& path);

/// The dictionary for a matrix or vector, as NumPy writes it, little-endian, without padding.
[[nodiscard]] std::string format_npy_header(MatrixInfo const& info);

}  // namespace tessera::io
