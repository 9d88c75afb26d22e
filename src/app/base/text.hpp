// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bench/shapes.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Converts numbers, times and tables to text, and text to numbers. Numbers on the command line are
/// decimal. Signs, spaces, thousands separators and other bases are refused.
namespace tessera::app {

/// The word of the command line for an operation of src/bench: "gemv" for "multiply".
[[nodiscard]] std::string command_of(std::string const& operation);

/// "4 rows x 5 columns", "4 x 5 times 5 x 6".
[[nodiscard]] std::string matrix_text(bench::Shape const& shape);

/// A table with aligned columns; the first line is the head. The first column and the columns in
/// `words` are left-aligned, the others right-aligned.
[[nodiscard]] std::string aligned(std::vector<std::vector<std::string>> const& lines,
                                  std::vector<std::size_t> const& words);

/// "0.5", "60", "1e-3": digits, with a point and an exponent of ten if need be.
/// @return empty for any other text, and for values beyond a double
[[nodiscard]] std::optional<double> decimal_number(std::string_view text);

/// Whether a decimal number is too large for a double, or so small that it would be 0.
[[nodiscard]] bool is_beyond_double(std::string_view text);

/// "512MiB", "1.5GB", "1e9": a decimal number of bytes or of a unit: B; KB, MB, GB, TB (powers of
/// 1000); KiB, MiB, GiB, TiB (powers of 1024). A fraction of a larger unit is rounded down to whole
/// bytes.
/// @return empty for any other text, for a fraction of B, and for less than 1 or more than 2^62
/// bytes
[[nodiscard]] std::optional<std::uint64_t> size_in_bytes(std::string_view text);

/// Two whole numbers of at least 1.
struct TwoExtents {
  int first = 0;
  int second = 0;
};

/// "32x8" as two numbers.
[[nodiscard]] std::optional<TwoExtents> two_extents(std::string_view text);

/// With `digits` digits after the point.
[[nodiscard]] std::string fixed(double value, int digits);
/// With `digits` significant digits.
[[nodiscard]] std::string general(double value, int digits);
/// The shortest text that reads back as the same number.
[[nodiscard]] std::string shortest(double value);
/// A time in the unit that leaves few digits before the point.
[[nodiscard]] std::string duration(double seconds);
/// A field of a CSV table, quoted if it contains a comma, a quote or a line end.
[[nodiscard]] std::string csv_field(std::string const& value);

/// Breaks lines at spaces to at most `columns` columns. Lines that begin with a space and longer
/// words are kept whole.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t columns);

/// Columns of a terminal: COLUMNS if set, else the width of the terminal on this descriptor, else
/// 80.
[[nodiscard]] std::size_t columns_of(int descriptor);

/// Replaces control characters, including line ends, by ?. File names may contain them, and a
/// terminal would interpret them.
[[nodiscard]] std::string without_controls(std::string_view text);

/// Prints a sentence on stderr, after the program's name and without control characters. On a
/// terminal the lines are wrapped.
void say(std::string const& sentence);

}  // namespace tessera::app
