// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string>

#include <io/matrix_info.hpp>
#include <io/matrix_source.hpp>
#include <io/output_file.hpp>

namespace tessera::io {

// Raw files: little-endian elements and nothing else.

[[nodiscard]] std::unique_ptr<MatrixSource> open_raw(InputFile file, RawFile const& raw);

void begin_raw_vector(OutputFile& out, MatrixInfo const& info);

}  // namespace tessera::io
