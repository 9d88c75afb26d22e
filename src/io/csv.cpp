// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <utility>
#include <vector>

#include <io/csv.hpp>
#include <io/npy_type.hpp>
#include <io/size_check.hpp>
#include <io/text_file.hpp>

namespace tessera::io {
namespace {

constexpr char blank = ' ';

/// What separates the fields of a line: the first of these that it has, else blanks.
char separator_of(std::string_view line) {
  std::size_t const place = line.find_first_of(",;\t");
  return place == std::string_view::npos ? blank : line[place];
}

/// Takes the next field of a line. @return false where there is none
bool take_field(std::string_view& line, bool& more, char separator, std::string_view& field) {
  if (!more) return false;
  if (separator == blank) {
    field = take_word(line);
    more = !trimmed(line).empty();
    return true;
  }
  std::size_t const end = line.find(separator);
  field = trimmed(line.substr(0, end));
  more = end != std::string_view::npos;
  line.remove_prefix(more ? end + 1 : line.size());
  return true;
}

std::string_view without_quotes(std::string_view field) {
  bool const quoted = field.size() >= 2 && field.front() == '"' && field.back() == '"';
  return quoted ? trimmed(field.substr(1, field.size() - 2)) : field;
}

/// Whether no field of a line is a number.
bool has_names(std::string_view line, char separator) {
  bool more = true;
  std::string_view field;
  while (take_field(line, more, separator, field)) {
    if (number_of(without_quotes(field))) return false;
  }
  return true;
}

/// Reads the rows of a file.
class CsvReader {
 public:
  explicit CsvReader(InputFile const& file) : file_(file), text_(file) {}

  MatrixInfo read() {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    bool first = true;
    bool names = false;
    while (text_.next()) {
      std::string_view line = text_.line();
      if (text_.number() == 1 && line.starts_with(byte_order_mark)) {
        line.remove_prefix(byte_order_mark.size());
      }
      if (trimmed(line).empty() || trimmed(line).front() == '#') continue;
      if (first) {
        separator_ = separator_of(line);
        names = has_names(line, separator_);
      }
      if (!first || !names) read_row(line);
      first = false;
    }
    if (rows_ == 0) {
      file_.fail("is empty: expected a row of numbers, found " +
                 std::string(names ? "one line without a number" : "none"));
    }
    MatrixInfo info;
    info.format = Format::csv;
    info.type = ScalarType::f64;
    info.stored = ElementType::f64;
    info.rows = rows_;
    info.cols = cols_;
    info.version = names ? "with a line of names" : "";
    static_cast<void>(check_shape(file_, info));
    info.file_bytes = text_.bytes();
    return info;
  }

  [[nodiscard]] std::vector<double> take_elements() { return std::move(values_); }

 private:
  void read_row(std::string_view line) {
    std::uint64_t fields = 0;
    bool more = true;
    std::string_view field;
    while (take_field(line, more, separator_, field)) {
      ++fields;
      auto const value = number_of(without_quotes(field));
      if (!value) {
        text_.fail("has a field that is not a number: expected one that f64 holds, found '" +
                   printable(field) + "' as field " + std::to_string(fields));
      }
      append(values_, *value, file_.path());
    }
    if (rows_ == 0) cols_ = fields;
    if (fields != cols_) {
      text_.fail("has rows of different lengths: expected " + std::to_string(cols_) +
                 " fields as in the first row, found " + std::to_string(fields));
    }
    ++rows_;
  }

  InputFile const& file_;
  TextFile text_;
  char separator_ = blank;
  std::uint64_t rows_ = 0;
  std::uint64_t cols_ = 0;
  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<MatrixSource> open_csv(InputFile file, RawFile const& /*raw*/) {
  return read_text<CsvReader, MemorySource<double>>(std::move(file));
}

}  // namespace tessera::io
