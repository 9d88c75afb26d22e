// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <io/matrix_info.hpp>
#include <io/matrix_source.hpp>
#include <io/output_file.hpp>

/// What the table of formats (formats.cpp) calls. open_…() checks an open file and reads its
/// header; begin_…() writes what precedes the elements.
namespace tessera::io {

// ex3 test files, little-endian: uint32 columns, uint32 rows, 8 ignored bytes, A as float32 row by
// row, V as float32.
[[nodiscard]] std::unique_ptr<MatrixSource> open_ex3(InputFile file, RawFile const& raw);
void begin_ex3_matrix(OutputFile& out, MatrixInfo const& info);

// .npy: "\x93NUMPY", major and minor version, the header's length (2 bytes in version 1.0, else 4),
// the header (npy_header.hpp), the elements.
inline constexpr std::string_view npy_magic{"\x93NUMPY", 6};
[[nodiscard]] std::unique_ptr<MatrixSource> open_npy(InputFile file, RawFile const& raw);
[[nodiscard]] MatrixInfo read_npy_header(InputFile const& file);
/// Refuses a file with another array at byte `end`: numpy.save() was called again.
void refuse_more_arrays(InputFile const& file, std::uint64_t end);
/// Version 1.0; elements begin at a multiple of 64 bytes.
void begin_npy(OutputFile& out, MatrixInfo const& info);

/// A zip archive with a .npy file per array, "FILE.npz:NAME". A deflated array is read sequentially
/// (info().in_order_only).
[[nodiscard]] std::unique_ptr<MatrixSource> open_npz(InputFile file, RawFile const& raw);

// Raw files: little-endian elements and nothing else.
[[nodiscard]] std::unique_ptr<MatrixSource> open_raw(InputFile file, RawFile const& raw);
void begin_raw_vector(OutputFile& out, MatrixInfo const& info);

/// Whether a file with these first bytes is a PLINK 1 binary file, of either order.
[[nodiscard]] bool has_bed_mark(std::span<std::byte const> start);
/// @param extension ".fam": one line for each sample, or ".bim": one for each variant
[[nodiscard]] std::string file_next_to_bed(std::string const& path, std::string const& extension);
/// Samples x variants: the number of A1 alleles (0, 1 or 2). A missing genotype counts as the mean
/// of its column's other genotypes, rounded to the element type; 0 if all are missing.
/// The numbers of lines of the .fam and .bim files next to `file` are its shape.
[[nodiscard]] std::unique_ptr<MatrixSource> open_bed(InputFile file, RawFile const& raw);

// Datasets of HDF5 files, "FILE.h5:/path/to/dataset". Without the library, hdf5_missing.cpp
// replaces these.
/// Empty without the library.
[[nodiscard]] std::string hdf5_version();
/// Opens a dataset of one or two dimensions: contiguous, compact or in chunks, plain or filtered by
/// deflate, shuffle and Fletcher's checksum. External links, external storage and virtual datasets
/// are refused, so no other file is opened. The library only locates the elements.
[[nodiscard]] std::unique_ptr<MatrixSource> open_hdf5(InputFile file, RawFile const& raw);
[[nodiscard]] std::vector<std::string> datasets_of(InputFile const& file);
/// Returns the dataset's name.
[[nodiscard]] std::string check_hdf5_output(OutputFile& out, MatrixInfo const& info);
void begin_hdf5(OutputFile& out, MatrixInfo const& info);

// Matrix Market: "%%MatrixMarket matrix FORMAT FIELD SYMMETRY", comments, sizes, then all elements
// column by column, or the nonzero elements with their indices.
inline constexpr std::string_view matrix_market_mark = "%%MatrixMarket";
/// Reads a file or pipe as a dense f64 matrix; only listed elements are stored. FORMAT: array or
/// coordinate. FIELD: real, double, integer, or pattern (ones). SYMMETRY: general, symmetric or
/// skew-symmetric. Elements at the same place are added in file order.
/// @throws FileError also if f64 does not hold an integer exactly
[[nodiscard]] std::unique_ptr<MatrixSource> open_matrix_market(InputFile file, RawFile const& raw);

// CSV: a row of numbers per line, separated by commas, semicolons, tabs or blanks.
/// Reads a CSV file or pipe into memory, as rows of f64. The first line defines the separator
/// outside quotes, and may hold names of columns (raw.header). Empty lines and lines that begin
/// with # are skipped.
/// @throws FileError also if f64 does not hold an integer exactly, or if the first line may be
/// names or data
[[nodiscard]] std::unique_ptr<MatrixSource> open_csv(InputFile file, RawFile const& raw);

}  // namespace tessera::io
