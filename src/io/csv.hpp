// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include <io/matrix_info.hpp>
#include <io/matrix_source.hpp>

namespace tessera::io {

// CSV: a row of numbers in each line, with commas, semicolons, tabs or blanks between them.

/// Reads a CSV file, which may be a pipe, into memory, as rows of f64. Which separator it has, its
/// first line says. A first line without any number has the names of the columns and is left out;
/// so are empty lines, and those that begin with #. Numbers are decimal, with a point, and may be
/// in double quotes; each becomes the nearest f64.
/// @throws FileError bad_input where a field is not a number, or a row has more or fewer of them
/// than the first one, and out_of_memory
[[nodiscard]] std::unique_ptr<MatrixSource> open_csv(InputFile file, RawFile const& raw);

}  // namespace tessera::io
