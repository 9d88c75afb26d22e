// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace tessera::test {

/// What is in a file, in large pieces: tests are compiled without optimisation, and byte by byte
/// takes longer than what is tested. Empty where there is no file.
std::string read_file(std::filesystem::path const& path);

}  // namespace tessera::test
