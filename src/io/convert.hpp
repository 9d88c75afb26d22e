// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <io/matrix_source.hpp>

namespace tessera::io {

/// Reads elements of a source as T: straight into `to`, or through a buffer of 256 KiB where the
/// stored type is another one. Big-endian elements are swapped.
void read_converted(MatrixSource const& source, Part part, std::uint64_t first,
                    std::span<float> to);
/// @copydoc read_converted
void read_converted(MatrixSource const& source, Part part, std::uint64_t first,
                    std::span<double> to);

}  // namespace tessera::io
