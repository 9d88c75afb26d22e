// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace tessera::io {

/// "FILE:NAME": a dataset of an HDF5 file, or an array of an .npz file.
struct DatasetName {
  std::string file;
  std::string dataset;
};

/// Splits at the first colon after ".h5", ".hdf5" or ".npz" in any case, else after the name of an
/// existing file. Names of existing files are never split.
[[nodiscard]] DatasetName split_dataset(std::string const& path);

/// Refuses "FILE:/DATASET" with another extension, which would be a file's name.
void require_written_dataset(std::string const& path);

}  // namespace tessera::io
