// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <istream>
#include <string>

namespace tessera::test {

std::string rest_of(std::istream& stream);

std::string read_file(std::filesystem::path const& path);

}  // namespace tessera::test
