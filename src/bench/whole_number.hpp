// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace tessera::bench {

/// A number of decimal digits alone: no sign, no space, no separator, no other base. Zeros may
/// lead.
/// @return nothing for any other text, and for numbers of 2^64 and more
[[nodiscard]] inline std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  char const* const begin = text.data();
  char const* const end = begin + text.size();
  // For an unsigned type from_chars takes digits and nothing else.
  auto const [last, error] = std::from_chars(begin, end, number);
  if (error != std::errc{} || last != end) return std::nullopt;
  return number;
}

}  // namespace tessera::bench
