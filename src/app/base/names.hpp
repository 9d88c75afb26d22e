// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include <app/base/failure.hpp>
#include <io/dataset_name.hpp>

namespace tessera::app {

/// Refuses FILE.h5:/DATASET.
inline void require_plain_file(std::string const& option, std::string const& path) {
  auto const name = io::split_dataset(path);
  if (name.dataset.empty()) return;
  throw Failure(ExitStatus::usage, option + ": expected the name of a file, found " + path +
                                       ", which names " + name.dataset + " in " + name.file);
}

}  // namespace tessera::app
