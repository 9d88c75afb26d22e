// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string>

#include <io/matrix_info.hpp>
#include <io/matrix_source.hpp>
#include <io/output_file.hpp>

namespace tessera::io {

// ex3 test files, little-endian: uint32 columns, uint32 rows, 8 ignored bytes, A as float32 row by
// row, V as float32.

[[nodiscard]] std::unique_ptr<MatrixSource> open_ex3(InputFile file, RawFile const& raw);

void begin_ex3_matrix(OutputFile& out, MatrixInfo const& info);

}  // namespace tessera::io
