// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <io/matrix_source.hpp>

namespace tessera::io {

/// Reads elements of a source as T: directly into `to`, or through a buffer of 256 KiB if the
/// stored type differs. Swaps big-endian elements.
///
/// f64 to f32 rounds to nearest. If T is float, every bit of f16 is kept, including NaNs and
/// subnormal numbers. An integer is never rounded.
/// @param path for messages
/// @throws FileError bad_input if T does not hold an integer exactly
void read_converted(MatrixSource const& source, std::string const& path, Part part,
                    std::uint64_t first, std::span<float> to);
/// @copydoc read_converted
void read_converted(MatrixSource const& source, std::string const& path, Part part,
                    std::uint64_t first, std::span<double> to);

/// As read_converted, for a block of A in the order of the file; see MatrixReader::read_block().
void read_block_converted(MatrixSource const& source, std::string const& path, Block const& block,
                          std::span<float> to);
/// @copydoc read_block_converted
void read_block_converted(MatrixSource const& source, std::string const& path, Block const& block,
                          std::span<double> to);

}  // namespace tessera::io
