// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include <io/matrix_info.hpp>
#include <io/matrix_source.hpp>

namespace tessera::io {

// CSV: a row of numbers in each line, with commas, semicolons, tabs or blanks between them.

/// Reads a CSV file, which may be a pipe, into memory, as rows of f64.
///
/// The first line defines the separator, outside quotes. It may hold the names of the columns
/// (raw.header): then it is skipped, and has as many fields as each row. Empty lines and lines that
/// begin with # are skipped. Numbers are decimal, with a point, and may be in double quotes. Each
/// becomes the nearest f64. An integer (digits only) that f64 does not hold exactly is an error.
/// @throws FileError bad_input if a field is not a number, if a row has more or fewer fields than
/// the first one, or if the first line may be names or data; out_of_memory
[[nodiscard]] std::unique_ptr<MatrixSource> open_csv(InputFile file, RawFile const& raw);

}  // namespace tessera::io
