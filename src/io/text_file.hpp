// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <io/input_file.hpp>
#include <io/matrix_source.hpp>
#include <io/memory.hpp>

namespace tessera::io {

/// The byte order mark of UTF-8, which some editors write before a text. It is skipped.
inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Reads the lines of a file, which may be a pipe, from start to end.
class TextFile {
 public:
  explicit TextFile(InputFile const& file) : file_(file), buffer_(buffer_bytes) {}

  /// Reads the next line, without its end ("\n" or "\r\n"). @return false at the end of the file
  /// @throws FileError bad_input on a read error, on a line longer than 256 MiB, and on a carriage
  /// return inside a line
  bool next();

  /// The current line, valid until the next call of next().
  [[nodiscard]] std::string_view line() const { return line_; }
  /// Its number, counted from 1.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// Bytes read so far; at the end, the size of the file.
  [[nodiscard]] std::uint64_t bytes() const { return position_; }

  /// Throws FileError bad_input: SENTENCE in line N, and what to do.
  [[noreturn]] void fail(std::string const& sentence, std::string const& advice = "") const;

 private:
  static constexpr std::size_t buffer_bytes = 256U << 10U;

  InputFile const& file_;
  std::vector<std::byte> buffer_;
  std::string_view left_;  // of the buffer
  std::uint64_t position_ = 0;
  std::string line_;
  std::uint64_t number_ = 0;
};

/// A text without leading and trailing blanks and tabs.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Takes the next word from a text, up to a blank or tab; empty if there are no more words.
[[nodiscard]] std::string_view take_word(std::string_view& text);

/// The double nearest to a decimal number such as 1, -0.5e-3, +2, inf or nan. Empty if the text is
/// not one number or exceeds the range of double. Numbers too small for double become zero.
[[nodiscard]] std::optional<double> number_of(std::string_view text);

/// Whether a text is an integer: digits with an optional sign. Integers are never rounded. A number
/// with a point or an exponent becomes the nearest double.
[[nodiscard]] bool is_integer(std::string_view text);

/// Whether `value` is exactly the integer in the text.
[[nodiscard]] bool is_exactly(std::string_view integer, double value);

/// The sentence about an integer that a type does not hold exactly.
/// @param found the integer as text
[[nodiscard]] std::string inexact_integer(ScalarType type, std::string const& found);

/// Appends to a vector. Checks the available memory before the vector grows.
/// @param path for messages
/// @throws FileError out_of_memory
template <class T>
void append(std::vector<T>& values, T const& value, std::string const& path) {
  if (values.size() == values.capacity()) {
    std::size_t const more = std::max<std::size_t>(1024, 2 * values.size());
    require_memory(more * sizeof(T), path, "the elements");
    values.reserve(more);
  }
  values.push_back(value);
}

/// Reads a file into memory with a Reader. Its read() returns the header, its take_elements() the
/// elements.
/// @param arguments of the Reader after the file
/// @throws FileError
template <class Reader, class Source, class... Arguments>
std::unique_ptr<MatrixSource> read_text(InputFile file, Arguments const&... arguments) {
  std::optional<Reader> reader(std::in_place, file, arguments...);
  MatrixInfo info = reader->read();
  auto elements = reader->take_elements();
  reader.reset();
  info.reader_bytes = elements.capacity() * sizeof(elements[0]);
  return std::make_unique<Source>(std::move(file), std::move(info), std::move(elements));
}

}  // namespace tessera::io
