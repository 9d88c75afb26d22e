// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

#include <io/errors.hpp>

namespace tessera::io {

/// The least of MemAvailable and of what control groups (v1 and v2) and RLIMIT_AS leave.
/// @param root prefix of /proc and /sys
[[nodiscard]] std::uint64_t available_memory(std::string const& root = "");

/// @throws FileError out_of_memory
/// @param what with its article: "the matrix"
void require_memory(std::uint64_t bytes, std::string const& path, std::string const& what);

/// For a large array that has not been touched yet: fewer address translations.
void prefer_huge_pages(void* data, std::uint64_t bytes) noexcept;

[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

}  // namespace tessera::io
