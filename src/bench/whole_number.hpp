// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace tessera::bench {

/// Parses 1000, 1e3 or 1.5e6 without signs, spaces or other bases. Empty for all else, and for 2^64
/// and more.
[[nodiscard]] inline std::optional<std::uint64_t> whole_number(std::string_view text) {
  auto const is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string digits;
  int after_point = -1;  // digits; negative: no point
  std::size_t i = 0;
  for (; i < text.size() && (is_digit(text[i]) || (text[i] == '.' && after_point < 0)); ++i) {
    if (text[i] != '.') digits += text[i];
    if (text[i] == '.' || after_point >= 0) ++after_point;
  }
  if (digits.empty()) return std::nullopt;
  int zeros = -std::max(after_point, 0);
  if (i < text.size()) {
    if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
    ++i;
    if (i < text.size() && text[i] == '+') ++i;
    unsigned exponent = 0;
    auto const [last, error] =
        std::from_chars(text.data() + i, text.data() + text.size(), exponent);
    if (error != std::errc{} || last != text.data() + text.size() || exponent > 1000) {
      return std::nullopt;
    }
    zeros += static_cast<int>(exponent);
  }
  for (; zeros < 0; ++zeros) {
    if (digits.empty()) return std::nullopt;
    if (digits.back() != '0') return std::nullopt;
    digits.pop_back();
  }
  if (digits.empty()) digits = "0";
  digits.append(static_cast<std::size_t>(zeros), '0');
  std::uint64_t number = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc{}) {
    return std::nullopt;
  }
  return number;
}

}  // namespace tessera::bench
