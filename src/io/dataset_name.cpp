// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cctype>
#include <sys/stat.h>

#include <io/dataset_name.hpp>

namespace tessera::io {
namespace {

bool is_file(std::string const& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode);
}

/// The colon between file and dataset; npos where the path is a file alone.
std::size_t find_colon(std::string const& path) {
  std::string lower(path);
  std::ranges::transform(lower, lower.begin(), [](unsigned char character) {
    return static_cast<char>(std::tolower(character));
  });
  std::size_t colon = std::string::npos;
  for (std::string const mark : {".h5:", ".hdf5:", ".npz:"}) {
    if (auto const start = lower.find(mark); start != std::string::npos) {
      colon = std::min(colon, start + mark.size() - 1);
    }
  }
  if (colon != std::string::npos || is_file(path)) return colon;
  colon = path.find(':');
  while (colon != std::string::npos && !is_file(path.substr(0, colon))) {
    colon = path.find(':', colon + 1);
  }
  return colon;
}

}  // namespace

DatasetName split_dataset(std::string const& path) {
  std::size_t const colon = find_colon(path);
  if (colon == std::string::npos) return {.file = path, .dataset = ""};
  return {.file = path.substr(0, colon), .dataset = path.substr(colon + 1)};
}

}  // namespace tessera::io
