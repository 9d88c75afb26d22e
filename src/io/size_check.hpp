// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include <io/input_file.hpp>
#include <io/matrix_info.hpp>

namespace tessera::io {

/// Checks that no dimension is zero and that header, A and (with has_vector) V need fewer than 2^64
/// bytes. @return that number of bytes
/// @throws FileError bad_input
[[nodiscard]] std::uint64_t check_shape(InputFile const& file, MatrixInfo const& info);

/// Checks that no dimension is zero and that header, A and (with has_vector) V fill the file
/// exactly; for a pipe, check_unchanged() checks it later. Computes without overflow and allocates
/// nothing.
/// @return the bytes of header, A and V
/// @throws FileError bad_input
[[nodiscard]] std::uint64_t check_sizes(InputFile const& file, MatrixInfo const& info);

}  // namespace tessera::io
