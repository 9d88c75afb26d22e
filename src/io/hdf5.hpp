// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <io/matrix_info.hpp>
#include <io/matrix_source.hpp>
#include <io/output_file.hpp>

namespace tessera::io {

// Datasets of HDF5 files, named "FILE.h5:/path/to/dataset". Optional: if CMake finds no HDF5
// library, hdf5_missing.cpp replaces this with functions that throw.

/// Version of the HDF5 library, such as "1.14.5"; empty if tessera was built without it.
[[nodiscard]] std::string hdf5_version();

/// Opens a dataset of one or two dimensions, any ElementType and either byte order. It may be
/// contiguous, compact, or in chunks that are plain or filtered by deflate, shuffle and Fletcher's
/// checksum. External links, external storage and virtual datasets are refused: only the file
/// itself is opened.
///
/// The HDF5 library locates the elements in a separate process, because a damaged file may crash
/// the library. The elements are read and unpacked here.
/// @throws FileError bad_input
[[nodiscard]] std::unique_ptr<MatrixSource> open_hdf5(InputFile file, RawFile const& raw);

/// The names of all datasets of a file, such as "/group/A", sorted. @throws FileError bad_input
[[nodiscard]] std::vector<std::string> datasets_of(InputFile const& file);

/// Checks that `out` can be an HDF5 file with this dataset. @return the dataset's name
/// @throws FileError bad_output
[[nodiscard]] std::string check_hdf5_output(OutputFile& out, MatrixInfo const& info);

/// Creates a contiguous dataset in the file. The bytes written next are its elements.
/// @throws FileError bad_output
void begin_hdf5(OutputFile& out, MatrixInfo const& info);

}  // namespace tessera::io
