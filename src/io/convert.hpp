// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <io/matrix_source.hpp>

namespace tessera::io {

/// Reads elements as T, float or double. f64 to f32 rounds to nearest; f16 and bf16 keep every bit,
/// also of NaNs and subnormal numbers. As std::uint8_t or std::uint16_t: the bits of elements of
/// that size, as stored, in the byte order of this machine.
/// @throws FileError if T does not hold an integer exactly
template <class T>
void read_converted(MatrixSource const& source, std::string const& path, Part part,
                    std::uint64_t first, std::span<T> to);
template <class T>
void read_block_converted(MatrixSource const& source, std::string const& path, Block const& block,
                          std::span<T> to);

}  // namespace tessera::io
