// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace tessera::io {

/// What "FILE.h5:/path/to/dataset" names. Files of other formats hold one thing only.
struct DatasetName {
  std::string file;
  std::string dataset;  ///< empty where the path names a file alone
};

/// Splits a path behind the first ".h5" or ".hdf5", in upper or lower case, that a colon follows.
[[nodiscard]] DatasetName split_dataset(std::string const& path);

}  // namespace tessera::io
