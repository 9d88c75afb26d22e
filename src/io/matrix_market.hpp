// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string_view>

#include <io/matrix_info.hpp>
#include <io/matrix_source.hpp>

namespace tessera::io {

// Matrix Market's .mtx: a line "%%MatrixMarket matrix FORMAT FIELD SYMMETRY", comments, the sizes,
// then either all elements column by column, or the nonzero elements with their indices.

/// How such a file begins.
inline constexpr std::string_view matrix_market_mark = "%%MatrixMarket";

/// Reads a Matrix Market file, which may be a pipe, as a dense matrix of f64. FORMAT is array or
/// coordinate. FIELD is real, double, integer or, in coordinate files, pattern, whose elements are
/// ones. SYMMETRY is general, symmetric or skew-symmetric. Elements at the same place are added, in
/// the order of the file. Memory is allocated for the listed elements only. Numbers become the
/// nearest f64; an integer (digits only) that f64 does not hold exactly is an error.
/// @throws FileError bad_input and out_of_memory
[[nodiscard]] std::unique_ptr<MatrixSource> open_matrix_market(InputFile file, RawFile const& raw);

}  // namespace tessera::io
