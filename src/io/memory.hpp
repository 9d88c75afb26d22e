// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

#include <io/errors.hpp>

namespace tessera::io {

/// Bytes that this process can still use: the smallest of MemAvailable, what is left below the
/// limits of its control groups (v1 and v2), and what is left below RLIMIT_AS.
///
/// @param root prefix of /proc and /sys; tests pass a folder
[[nodiscard]] std::uint64_t available_memory(std::string const& root = "");

/// Throws FileError out_of_memory when `bytes` are more than available_memory(): "PATH: not enough
/// memory for WHAT: expected 8.0 GiB available, found 3.2 GiB". Call it before allocating.
/// @param what with its article: "the matrix"
void require_memory(std::uint64_t bytes, std::string const& path, std::string const& what);

/// Requests huge pages for a large array that has not been touched yet. A matrix then needs far
/// fewer address translations. If the system has no huge pages, nothing changes.
void prefer_huge_pages(void* data, std::uint64_t bytes) noexcept;

/// "1.5 GiB", "812 bytes": for messages and reports.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

}  // namespace tessera::io
