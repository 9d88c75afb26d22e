// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bench/shapes.hpp>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Numbers on the command line are decimal, without signs, spaces or separators.
namespace tessera::app {

/// "gemv" for "multiply".
[[nodiscard]] std::string command_of(std::string const& operation);

[[nodiscard]] std::string matrix_text(bench::Shape const& shape);

/// Left-aligns the first column and those in `words`.
[[nodiscard]] std::string aligned(std::vector<std::vector<std::string>> const& lines,
                                  std::vector<std::size_t> const& words);

/// "0.5", "60", "1e-3"; empty for other text and beyond a double.
[[nodiscard]] std::optional<double> decimal_number(std::string_view text);

/// Too large, or so small that it is 0.
[[nodiscard]] bool is_beyond_double(std::string_view text);

/// "512MiB", "1.5GB", "1e9". Units: B; KB, MB, GB, TB (powers of 1000); KiB, MiB, GiB, TiB. Rounded
/// down to bytes.
/// @return empty for other text, a fraction of B, less than 1 or more than 2^62
[[nodiscard]] std::optional<std::uint64_t> size_in_bytes(std::string_view text);

struct TwoExtents {
  int first = 0;
  int second = 0;
};

[[nodiscard]] std::optional<TwoExtents> two_extents(std::string_view text);

[[nodiscard]] std::string fixed(double value, int digits);
[[nodiscard]] std::string general(double value, int digits);
/// Reads back as the same number.
template <class T>
[[nodiscard]] std::string shortest(T value) {
  char text[64];
  auto const end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}
[[nodiscard]] std::string duration(double seconds);
[[nodiscard]] std::string csv_field(std::string const& value);

/// Breaks lines at spaces. Lines that begin with a space stay whole.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t columns);

/// COLUMNS, else the terminal's width, else 80.
[[nodiscard]] std::size_t columns_of(int descriptor);

/// Replaces control characters and line ends by ?, because file names may contain them.
[[nodiscard]] std::string without_controls(std::string_view text);

/// On stderr after the program's name; wrapped on a terminal.
void say(std::string const& sentence);

}  // namespace tessera::app
