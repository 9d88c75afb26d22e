// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string>

#include <io/matrix_info.hpp>
#include <io/matrix_source.hpp>
#include <io/output_file.hpp>

namespace tessera::io {

// NumPy's .npy: "\x93NUMPY", major and minor version, the length of the header (2 bytes in version
// 1.0, 4 bytes from 2.0 on), the header (npy_header.hpp), the elements.

/// Opens a .npy file, version 1.0, 2.0 or 3.0, of one or two dimensions, f4 or f8.
/// @throws FileError bad_input
[[nodiscard]] std::unique_ptr<MatrixSource> open_npy(std::string const& path, RawFile const& raw,
                                                     Reading reading);

/// Writes everything before the elements, version 1.0; the elements begin at a multiple of 64
/// bytes.
void begin_npy(OutputFile& out, MatrixInfo const& info);

}  // namespace tessera::io
