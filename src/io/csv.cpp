// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <io/format_functions.hpp>
#include <io/matrix_source.hpp>
#include <io/shell_word.hpp>
#include <io/text_file.hpp>

namespace tessera::io {
namespace {

constexpr char blank = ' ';
constexpr char quote = '"';

/// A doubled quote is part of the text.
std::size_t closing_quote(std::string_view line, std::size_t open) {
  std::size_t place = line.find(quote, open + 1);
  while (place != std::string_view::npos && line.substr(place + 1).starts_with(quote)) {
    place = line.find(quote, place + 2);
  }
  return place;
}

/// The first separator outside quotes.
char separator_of(std::string_view line) {
  bool begins_field = true;
  for (std::size_t i = 0; i < line.size(); ++i) {
    char const character = line[i];
    if (character == quote && begins_field) {
      i = closing_quote(line, i);
      if (i == std::string_view::npos) break;
    } else if (character == ',' || character == ';' || character == '\t') {
      return character;
    }
    begins_field = character == blank;
  }
  return blank;
}

class Fields {
 public:
  Fields(TextFile const& text, std::string_view line, char separator)
      : text_(text), rest_(separator == blank ? trimmed(line) : line), separator_(separator) {}

  bool take(std::string_view& field) {
    if (!more_) return false;
    std::size_t const begin = std::min(rest_.find_first_not_of(blank), rest_.size());
    std::size_t quoted = begin;
    if (begin < rest_.size() && rest_[begin] == quote) {
      quoted = closing_quote(rest_, begin);
      if (quoted == std::string_view::npos) {
        text_.fail("has an unclosed quote: expected two quotes around a field, found one");
      }
    }
    std::size_t const end =
        separator_ == blank ? rest_.find_first_of(" \t", quoted) : rest_.find(separator_, quoted);
    more_ = end != std::string_view::npos;
    field = trimmed(rest_.substr(0, end));
    rest_.remove_prefix(more_ ? end + 1 : rest_.size());
    if (separator_ == blank) rest_ = trimmed(rest_);
    return true;
  }

 private:
  TextFile const& text_;
  std::string_view rest_;
  char separator_;
  bool more_ = true;
};

std::string_view without_quotes(std::string_view field) {
  bool const quoted = field.size() >= 2 && field.front() == quote && field.back() == quote;
  return quoted ? trimmed(field.substr(1, field.size() - 2)) : field;
}

bool is_missing(std::string_view field) {
  constexpr std::array<std::string_view, 12> words{"",    "?",    "-",    ".",    "na",  "n/a",
                                                   "#na", "#n/a", "null", "none", "nil", "missing"};
  return std::ranges::find(words, in_lower_case(field)) != words.end();
}

/// Numbers with separators, versions, dates, and words for missing or truth values may be data.
bool is_name(std::string_view field) {
  constexpr std::array<std::string_view, 4> values{"true", "false", "#value!", "#div/0!"};
  std::string const lower = in_lower_case(field);
  if (is_missing(field) || std::ranges::find(values, lower) != values.end()) return false;
  auto const is_letter = [](unsigned char character) {
    return std::isalpha(character) != 0 || character == '_' || character >= 0x80;
  };
  return std::ranges::any_of(lower, is_letter) &&
         std::string_view("0123456789+-.").find(lower.front()) == std::string_view::npos;
}

class CsvReader {
 public:
  CsvReader(InputFile const& file, CsvHeader header) : file_(file), text_(file), header_(header) {}

  MatrixInfo read() {
    bool first = true;
    bool names = false;
    while (text_.next()) {
      std::string_view const line = text_.line();
      if (trimmed(line).empty() || trimmed(line).front() == '#') continue;
      if (first) {
        separator_ = separator_of(line);
        names = has_names(line);
      }
      if (!first || !names) read_row(line);
      first = false;
    }
    if (rows_ == 0) {
      file_.fail("is empty: expected a row of numbers, found " +
                 std::string(names ? "one line of names" : "none"));
    }
    MatrixInfo info;
    info.format = Format::csv;
    info.type = ScalarType::f64;
    info.stored = ElementType::f64;
    info.rows = rows_;
    info.cols = cols_;
    info.version = names ? "with a line of names" : "";
    info.inexact_in_f32 = inexact_in_f32_;
    static_cast<void>(check_shape(file_, info));
    info.file_bytes = text_.bytes();
    return info;
  }

  [[nodiscard]] std::vector<double> take_elements() { return std::move(values_); }

 private:
  /// An unclear line is an error: a row could be lost silently.
  bool has_names(std::string_view line) {
    if (header_ == CsvHeader::no) return false;
    std::uint64_t fields = 0;
    std::uint64_t numbers = 0;
    std::uint64_t names = 0;
    std::uint64_t unclear = 0;
    std::string unclear_field;
    Fields all(text_, line, separator_);
    for (std::string_view field; all.take(field); ++fields) {
      std::string_view const inner = without_quotes(field);
      if (number_of(inner)) {
        ++numbers;
      } else if (is_name(inner)) {
        ++names;
      } else if (!inner.empty() && unclear == 0) {
        unclear = fields + 1;
        unclear_field = printable(field);
      }
    }
    if (header_ == CsvHeader::yes || (numbers == 0 && unclear == 0 && names > 0)) {
      names_ = fields;
      return true;
    }
    if (numbers > 0) return false;  // a field that is no number is an error later
    text_.fail(
        "may be a line of names or of data: expected only numbers or only clear names, found '" +
            unclear_field + "' as field " + std::to_string(std::max(unclear, std::uint64_t{1})),
        "; --header yes reads this line as names, --header no as data");
  }

  void read_row(std::string_view line) {
    std::uint64_t fields = 0;
    Fields all(text_, line, separator_);
    for (std::string_view field; all.take(field);) {
      ++fields;
      std::string_view const inner = without_quotes(field);
      auto const value = number_of(inner);
      if (!value) refuse(field, fields);
      if (is_integer(inner)) check_integer(inner, *value, fields);
      append(values_, *value, file_.path());
    }
    if (rows_ == 0) cols_ = names_.value_or(fields);
    if (fields != cols_) {
      text_.fail("has rows of different lengths: expected " + std::to_string(cols_) +
                 (names_ ? " fields as in the line of names" : " fields as in the first row") +
                 ", found " + std::to_string(fields));
    }
    ++rows_;
  }

  [[noreturn]] void refuse(std::string_view field, std::uint64_t number) const {
    bool const may_be_names = rows_ == 0 && !names_ && header_ == CsvHeader::automatic;
    text_.fail("has a field that is not a number: expected one that f64 holds, found '" +
                   printable(field) + "' as field " + std::to_string(number),
               is_missing(without_quotes(field)) ? "; a missing value is written nan"
               : may_be_names                    ? "; --header yes reads this line as names"
                                                 : "");
  }

  void check_integer(std::string_view text, double value, std::uint64_t field) {
    auto const found = [&] {
      return "'" + printable(text) + "' as field " + std::to_string(field);
    };
    if (!is_exactly(text, value)) {
      text_.fail(inexact_integer(ScalarType::f64, found()),
                 "; write it with a point if it may be rounded");
    }
    if (inexact_in_f32_.empty() && static_cast<double>(static_cast<float>(value)) != value) {
      inexact_in_f32_ = inexact_integer(ScalarType::f32, found()) + " in line " +
                        std::to_string(text_.number()) + "; --output-type f64 holds it";
    }
  }

  InputFile const& file_;
  TextFile text_;
  CsvHeader header_;
  char separator_ = blank;
  std::optional<std::uint64_t> names_;
  std::uint64_t rows_ = 0;
  std::uint64_t cols_ = 0;
  std::vector<double> values_;
  std::string inexact_in_f32_;
};

}  // namespace

std::unique_ptr<MatrixSource> open_csv(InputFile file, RawFile const& raw) {
  return read_text<CsvReader, MemorySource<double>>(std::move(file), raw.header);
}

}  // namespace tessera::io
