// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <system_error>

#include <io/dataset_name.hpp>
#include <io/errors.hpp>
#include <io/text_file.hpp>

namespace tessera::io {
namespace {

bool is_file(std::string const& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode);
}

std::size_t find_colon(std::string const& path) {
  if (path.find(':') == std::string::npos || is_file(path)) return std::string::npos;
  std::string const lower = in_lower_case(path);
  std::size_t colon = std::string::npos;
  for (std::string const mark : {".h5:", ".hdf5:", ".npz:"}) {
    if (auto const start = lower.find(mark); start != std::string::npos) {
      colon = std::min(colon, start + mark.size() - 1);
    }
  }
  if (colon != std::string::npos) return colon;
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

void require_written_dataset(std::string const& path) {
  DatasetName const name = split_dataset(path);
  std::size_t const colon = name.dataset.empty() ? path.find(":/") : name.file.size();
  if (colon == std::string::npos) return;
  std::string const file = path.substr(0, colon);
  std::error_code error;
  if (std::filesystem::is_directory(file + ":", error)) return;
  std::string const extension = in_lower_case(std::filesystem::path(file).extension().string());
  if (extension.empty()) return;
  for (std::string_view const known : {".h5", ".hdf5", ".npz"}) {
    if (extension == known) return;
  }
  throw FileError(ErrorKind::bad_output, path,
                  "names a dataset of a file of another kind: expected a file FILE.h5 or FILE.hdf5 "
                  "to write a dataset into, found " +
                      file + "; datasets of files of other names are read only");
}

}  // namespace tessera::io
