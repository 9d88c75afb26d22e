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

inline constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

class TextFile {
 public:
  explicit TextFile(InputFile const& file) : file_(file), buffer_(buffer_bytes) {}

  /// Without "\n" or "\r\n". Returns false at the end of the file.
  /// @throws FileError also for a line above 256 MiB and a carriage return inside a line
  bool next();

  /// Valid until next().
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] std::uint64_t bytes() const { return position_; }

  [[noreturn]] void fail(std::string const& sentence, std::string const& advice = "") const;

 private:
  static constexpr std::size_t buffer_bytes = 256U << 10U;

  InputFile const& file_;
  std::vector<std::byte> buffer_;
  std::string_view left_;
  std::uint64_t position_ = 0;
  std::string line_;
  std::uint64_t number_ = 0;
};

[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Of ASCII letters.
[[nodiscard]] std::string in_lower_case(std::string_view text);

/// Up to a blank or tab; empty at the end.
[[nodiscard]] std::string_view take_word(std::string_view& text);

/// The nearest double; empty if it is not one number or out of range.
[[nodiscard]] std::optional<double> number_of(std::string_view text);

/// Digits with an optional sign. Unlike numbers with a point or an exponent, integers are never
/// rounded.
[[nodiscard]] bool is_integer(std::string_view text);

[[nodiscard]] bool is_exactly(std::string_view integer, double value);

[[nodiscard]] std::string inexact_integer(ScalarType type, std::string const& found);

/// Checks the available memory before the vector grows.
template <class T>
void append(std::vector<T>& values, T const& value, std::string const& path) {
  if (values.size() == values.capacity()) {
    std::size_t const more = std::max<std::size_t>(1024, 2 * values.size());
    require_memory(more * sizeof(T), path, "the elements");
    values.reserve(more);
  }
  values.push_back(value);
}

/// Reader::read() returns the header, take_elements() the elements.
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
