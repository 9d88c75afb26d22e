// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <istream>
#include <string>

namespace tessera::test {

/// The rest of a stream, read in large pieces: tests are compiled without optimisation, and reading
/// byte by byte would take longer than the test.
std::string rest_of(std::istream& stream);

/// The content of a file; empty if it does not exist.
std::string read_file(std::filesystem::path const& path);

}  // namespace tessera::test
