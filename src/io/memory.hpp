// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

#include <io/errors.hpp>

namespace tessera::io {

/// Bytes that this process can still use: the smallest of MemAvailable, what is left below the
/// limits of its control groups (v1 and v2), and what is left below RLIMIT_AS.
[[nodiscard]] std::uint64_t available_memory();

/// Throws FileError out_of_memory when `bytes` are more than available_memory(): "PATH: not enough
/// memory for WHAT: needs 8.0 GiB, found 3.2 GiB available". Call it before allocating.
void require_memory(std::uint64_t bytes, std::string const& path, std::string const& what);

/// "1.5 GiB", "812 bytes": for messages and reports.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

}  // namespace tessera::io
