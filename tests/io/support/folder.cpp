// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include "io/support/folder.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <stdlib.h>
#include <support/read_file.hpp>

#include <gtest/gtest.h>

namespace tessera::io::test {

Folder::Folder() {
  path_ = (std::filesystem::temp_directory_path() / "tessera-io-test-XXXXXX").string();
  if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp failed: " + path_);
  std::filesystem::permissions(path_, std::filesystem::perms(0755));
}

Folder::~Folder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

std::string Folder::write(std::string_view name, Bytes const& content) const {
  std::string path = *this / name;
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
  return path;
}

std::vector<std::string> Folder::names() const {
  std::vector<std::string> names;
  for (auto const& entry : std::filesystem::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

Bytes content_of(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return tessera::test::rest_of(file);
}

std::string sample(std::string_view name) {
  return std::string(TESSERA_TEST_DATA_DIR) + "/io/" + std::string(name);
}

}  // namespace tessera::io::test
