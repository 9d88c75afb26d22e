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

// Datasets of HDF5 files, "FILE.h5:/path/to/dataset".

/// Empty without the library: hdf5_missing.cpp then replaces hdf5.cpp.
[[nodiscard]] std::string hdf5_version();

/// Opens a dataset of one or two dimensions: contiguous, compact or in chunks, plain or filtered by
/// deflate, shuffle and Fletcher's checksum. External links, external storage and virtual datasets
/// are refused, so no other file is opened. The library only locates the elements.
[[nodiscard]] std::unique_ptr<MatrixSource> open_hdf5(InputFile file, RawFile const& raw);

[[nodiscard]] std::vector<std::string> datasets_of(InputFile const& file);

/// Returns the dataset's name.
[[nodiscard]] std::string check_hdf5_output(OutputFile& out, MatrixInfo const& info);

void begin_hdf5(OutputFile& out, MatrixInfo const& info);

}  // namespace tessera::io
