// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <io/types.hpp>

namespace tessera::app {

/// SHA-256 of the raw little-endian elements, as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256(io::ElementSpan elements);
/// The same of bytes.
[[nodiscard]] std::string sha256(std::span<std::byte const> bytes);

}  // namespace tessera::app
