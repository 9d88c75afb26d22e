// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string_view>

#include <io/matrix_info.hpp>
#include <io/matrix_source.hpp>

namespace tessera::io {

// "%%MatrixMarket matrix FORMAT FIELD SYMMETRY", comments, sizes, then all elements column by
// column, or the nonzero elements with their indices.

inline constexpr std::string_view matrix_market_mark = "%%MatrixMarket";

/// Reads a file or pipe as a dense f64 matrix; only listed elements are stored. FORMAT: array or
/// coordinate. FIELD: real, double, integer, or pattern (ones). SYMMETRY: general, symmetric or
/// skew-symmetric. Elements at the same place are added in file order.
/// @throws FileError also if f64 does not hold an integer exactly
[[nodiscard]] std::unique_ptr<MatrixSource> open_matrix_market(InputFile file, RawFile const& raw);

}  // namespace tessera::io
