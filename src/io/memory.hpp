// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

#include <io/errors.hpp>

namespace tessera::io {

/// The smallest of MemAvailable, what the control groups (v1 and v2) leave, and what RLIMIT_AS
/// leaves.
/// @param root prefix of /proc and /sys
[[nodiscard]] std::uint64_t available_memory(std::string const& root = "");

/// Throws FileError out_of_memory. Call it before allocating.
/// @param what with its article: "the matrix"
void require_memory(std::uint64_t bytes, std::string const& path, std::string const& what);

/// Fewer address translations for a large array that has not been touched yet.
void prefer_huge_pages(void* data, std::uint64_t bytes) noexcept;

[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

}  // namespace tessera::io
