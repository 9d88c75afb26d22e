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

/// The lines of a file, which may be a pipe, from its start to its end.
class TextFile {
 public:
  explicit TextFile(InputFile const& file) : file_(file), buffer_(buffer_bytes) {}

  /// Takes the next line, without its end ("\n" or "\r\n"). @return false at the end of the file
  /// @throws FileError bad_input on a read error, or where a line is longer than 256 MiB
  bool next();

  /// The line that next() has taken, until the next one is.
  [[nodiscard]] std::string_view line() const { return line_; }
  /// Its number, from 1 on.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// Bytes read so far: those of the file, at its end.
  [[nodiscard]] std::uint64_t bytes() const { return position_; }

  /// Throws FileError bad_input: SENTENCE in line N.
  [[noreturn]] void fail(std::string const& sentence) const;

 private:
  static constexpr std::size_t buffer_bytes = 256U << 10U;

  InputFile const& file_;
  std::vector<std::byte> buffer_;
  std::string_view left_;  // of the buffer
  std::uint64_t position_ = 0;
  std::string line_;
  std::uint64_t number_ = 0;
};

/// A text without the blanks and tabs around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Takes the next word from a text, up to a blank or tab; empty where there is none.
[[nodiscard]] std::string_view take_word(std::string_view& text);

/// The number nearest to a decimal one, such as 1, -0.5e-3, +2, inf or nan; empty where the text is
/// not one number, or is beyond the range of double. Numbers too small for double become zero.
[[nodiscard]] std::optional<double> number_of(std::string_view text);

/// Appends to a vector, after a look at the memory there is where it has to grow.
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

/// The source of a file that a Reader reads into memory, from its start to its end: its read() says
/// what the file holds, its take_elements() hands over what was read.
/// @throws FileError
template <class Reader, class Source>
std::unique_ptr<MatrixSource> read_text(InputFile file) {
  std::optional<Reader> reader(file);
  MatrixInfo info = reader->read();
  auto elements = reader->take_elements();
  reader.reset();
  info.reader_bytes = elements.capacity() * sizeof(elements[0]);
  return std::make_unique<Source>(std::move(file), std::move(info), std::move(elements));
}

}  // namespace tessera::io
