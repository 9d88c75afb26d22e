// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include <io/input_file.hpp>
#include <io/matrix_info.hpp>

namespace tessera::io {

/// Refuses dimensions of zero and 2^64 bytes or more. Returns the bytes of header, A and V.
[[nodiscard]] std::uint64_t check_shape(InputFile const& file, MatrixInfo const& info);

/// As check_shape(). The bytes must fill the file exactly; check_unchanged() checks pipes later.
[[nodiscard]] std::uint64_t check_sizes(InputFile const& file, MatrixInfo const& info);

}  // namespace tessera::io
