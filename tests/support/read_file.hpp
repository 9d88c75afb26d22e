// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <istream>
#include <string>

namespace tessera::test {

/// What is left of a stream, in large pieces: tests are compiled without optimisation, and byte by
/// byte takes longer than what is tested.
std::string rest_of(std::istream& stream);

/// The content of a file; empty if it does not exist.
std::string read_file(std::filesystem::path const& path);

}  // namespace tessera::test
