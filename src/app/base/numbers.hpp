// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// The numbers of the command line: decimal, as a person writes them. What is anything else (a
/// sign, a space, a separator of thousands, another base) is no number, and is refused.
namespace tessera::app {

/// "0.5", "60", "1e-3": digits, with a point and an exponent of ten if need be.
/// @return nothing for any other text, and for what a double cannot hold
[[nodiscard]] std::optional<double> decimal_number(std::string_view text);

/// "512MiB", "1.5GB", "1e9": a decimal number of bytes or of a unit, which are B; KB, MB, GB, TB
/// (powers of 1000); KiB, MiB, GiB, TiB (powers of 1024). A part of a byte is left out.
/// @return nothing for any other text, and for less than 1 or more than 2^62 bytes
[[nodiscard]] std::optional<std::uint64_t> size_in_bytes(std::string_view text);

/// Two whole numbers of at least 1.
struct TwoExtents {
  int first = 0;
  int second = 0;
};

/// "32x8" as two numbers.
[[nodiscard]] std::optional<TwoExtents> two_extents(std::string_view text);

}  // namespace tessera::app
