// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/read_file.hpp"

#include <fstream>
#include <sstream>
#include <utility>

namespace tessera::test {

std::string read_file(std::filesystem::path const& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(content).str();
}

}  // namespace tessera::test
