// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include <io/matrix_info.hpp>
#include <io/matrix_source.hpp>

namespace tessera::io {

// CSV: a row of numbers per line, separated by commas, semicolons, tabs or blanks.

/// Reads a CSV file or pipe into memory, as rows of f64. The first line defines the separator
/// outside quotes, and may hold names of columns (raw.header). Empty lines and lines that begin
/// with # are skipped.
/// @throws FileError also if f64 does not hold an integer exactly, or if the first line may be
/// names or data
[[nodiscard]] std::unique_ptr<MatrixSource> open_csv(InputFile file, RawFile const& raw);

}  // namespace tessera::io
