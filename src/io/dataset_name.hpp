// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace tessera::io {

/// The parts of "FILE:NAME": a dataset of an HDF5 file, or an array of an .npz file. Files of other
/// formats hold only one matrix.
struct DatasetName {
  std::string file;
  std::string dataset;  ///< empty if the path names only a file
};

/// Splits a path after the first ".h5", ".hdf5" or ".npz", in any case, that a colon follows.
/// Without such an extension, splits it at the first colon after the name of an existing file. If
/// the whole path is the name of a file, it is not split.
[[nodiscard]] DatasetName split_dataset(std::string const& path);

/// Refuses an output "FILE:/DATASET" if FILE has another extension than .h5 and .hdf5. Without
/// this, the whole path would be the name of a file of another format.
/// @throws FileError bad_output
void require_written_dataset(std::string const& path);

}  // namespace tessera::io
