// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/read_file.hpp"

#include <fstream>
#include <sstream>
#include <utility>

namespace tessera::test {

std::string rest_of(std::istream& stream) {
  std::ostringstream content;
  content << stream.rdbuf();
  return std::move(content).str();
}

std::string read_file(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return rest_of(file);
}

}  // namespace tessera::test
