// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cctype>

#include <io/dataset_name.hpp>

namespace tessera::io {

DatasetName split_dataset(std::string const& path) {
  std::string lower(path);
  std::ranges::transform(lower, lower.begin(), [](unsigned char character) {
    return static_cast<char>(std::tolower(character));
  });
  std::size_t end = std::string::npos;
  for (std::string const mark : {".h5:", ".hdf5:"}) {
    if (auto const start = lower.find(mark); start != std::string::npos) {
      end = std::min(end, start + mark.size() - 1);
    }
  }
  if (end == std::string::npos) return {.file = path, .dataset = ""};
  return {.file = path.substr(0, end), .dataset = path.substr(end + 1)};
}

}  // namespace tessera::io
