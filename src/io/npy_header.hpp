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

struct NpyHeader {
  ElementType type = ElementType::f32;
  std::endian byte_order = std::endian::little;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// A Python dictionary with 'descr', 'fortran_order' and 'shape' in any order.
[[nodiscard]] NpyHeader parse_npy_header(std::string_view text, std::string const& path);

/// As NumPy writes it, little-endian, without padding.
[[nodiscard]] std::string format_npy_header(MatrixInfo const& info);

}  // namespace tessera::io
