// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <io/matrix_source.hpp>

namespace tessera::io {

/// Reads elements as T. f64 to f32 rounds to nearest; f16 and bf16 keep every bit, also of
/// NaNs and subnormal numbers.
/// @throws FileError if T does not hold an integer exactly
void read_converted(MatrixSource const& source, std::string const& path, Part part,
                    std::uint64_t first, std::span<float> to);
void read_converted(MatrixSource const& source, std::string const& path, Part part,
                    std::uint64_t first, std::span<double> to);

/// The bits of elements as they are stored, in the byte order of this machine. `to` has elements of
/// their size.
void read_converted(MatrixSource const& source, std::string const& path, Part part,
                    std::uint64_t first, std::span<std::uint8_t> to);
void read_converted(MatrixSource const& source, std::string const& path, Part part,
                    std::uint64_t first, std::span<std::uint16_t> to);

void read_block_converted(MatrixSource const& source, std::string const& path, Block const& block,
                          std::span<float> to);
void read_block_converted(MatrixSource const& source, std::string const& path, Block const& block,
                          std::span<double> to);
void read_block_converted(MatrixSource const& source, std::string const& path, Block const& block,
                          std::span<std::uint8_t> to);
void read_block_converted(MatrixSource const& source, std::string const& path, Block const& block,
                          std::span<std::uint16_t> to);

}  // namespace tessera::io
