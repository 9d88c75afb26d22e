// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace tessera::io {

/// What "FILE:NAME" names: a dataset of an HDF5 file, or an array of an .npz file. Files of other
/// formats hold one thing only.
struct DatasetName {
  std::string file;
  std::string dataset;  ///< empty where the path names a file alone
};

/// Splits a path behind the first ".h5", ".hdf5" or ".npz", in upper or lower case, that a colon
/// follows. Without such a name, splits it at the first colon behind the name of an existing file.
/// A path that is the name of a file as a whole is that file.
[[nodiscard]] DatasetName split_dataset(std::string const& path);

/// Refuses an output "FILE:/DATASET" if FILE has another extension than .h5 and .hdf5. Without
/// this, the whole path would be the name of a file of another format.
/// @throws FileError bad_output
void require_written_dataset(std::string const& path);

}  // namespace tessera::io
