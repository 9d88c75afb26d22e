// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include <io/matrix_source.hpp>

namespace tessera::io {

/// Whether a file with these first bytes is a PLINK 1 binary file, of either order.
[[nodiscard]] bool has_bed_mark(std::span<std::byte const> start);

/// @param extension ".fam": one line for each sample, or ".bim": one for each variant
[[nodiscard]] std::string file_next_to_bed(std::string const& path, std::string const& extension);

/// Samples x variants: the number of A1 alleles (0, 1 or 2). A missing genotype counts as the mean
/// of its column's other genotypes, rounded to the element type; 0 if all are missing.
/// The numbers of lines of the .fam and .bim files next to `file` are its shape.
[[nodiscard]] std::unique_ptr<MatrixSource> open_bed(InputFile file, RawFile const& raw);

}  // namespace tessera::io
