// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <optional>
#include <string>

namespace tessera::app {

/// Two numbers of at least 1.
struct TwoExtents {
  int first = 0;
  int second = 0;
};

/// "32x8" as two numbers.
inline std::optional<TwoExtents> two_extents(std::string const& text) {
  TwoExtents found;
  char const* const end = text.data() + text.size();
  auto const first = std::from_chars(text.data(), end, found.first);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != 'x') return std::nullopt;
  auto const second = std::from_chars(first.ptr + 1, end, found.second);
  if (second.ec != std::errc{} || second.ptr != end) return std::nullopt;
  if (found.first < 1 || found.second < 1) return std::nullopt;
  return found;
}

}  // namespace tessera::app
