// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string>

#include <io/matrix_source.hpp>
#include <io/output_file.hpp>
#include <io/types.hpp>

namespace tessera::io {

// A raw file: the elements of one vector, little-endian, and nothing else.

/// Opens a raw file as a vector of raw_type. @throws FileError bad_input
[[nodiscard]] std::unique_ptr<MatrixSource> open_raw(std::string const& path, ScalarType raw_type);

/// Writes nothing: a raw file has no header.
void begin_raw_vector(OutputFile& out, MatrixInfo const& info);

}  // namespace tessera::io
