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
/// follows; where there is none, before the first colon that a file's name stands before, unless
/// the whole path is a file's.
[[nodiscard]] DatasetName split_dataset(std::string const& path);

}  // namespace tessera::io
