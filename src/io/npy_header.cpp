// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <io/errors.hpp>
#include <io/npy_header.hpp>
#include <io/shell_word.hpp>

namespace tessera::io {
namespace {

struct NpyType {
  ElementType type = ElementType::f32;
  std::endian byte_order = std::endian::little;
};

constexpr std::array<std::pair<std::string_view, ElementType>, 11> types{{
    {"f2", ElementType::f16},
    {"f4", ElementType::f32},
    {"f8", ElementType::f64},
    {"i1", ElementType::i8},
    {"u1", ElementType::u8},
    {"i2", ElementType::i16},
    {"u2", ElementType::u16},
    {"i4", ElementType::i32},
    {"u4", ElementType::u32},
    {"i8", ElementType::i64},
    {"u8", ElementType::u64},
}};

std::string_view in_words(char kind) {
  switch (kind) {
    case 'b':
    case '?':
      return "truth values";
    case 'i':
      return "signed integers of another size";
    case 'u':
      return "unsigned integers of another size";
    case 'f':
      return "floating-point numbers of another size";
    case 'c':
      return "complex numbers";
    case 'm':
      return "time differences";
    case 'M':
      return "dates";
    case 'O':
      return "Python objects";
    case 'S':
    case 'a':
      return "byte strings";
    case 'U':
      return "text";
    case 'V':
      return "raw records";
    default:
      return "not known";
  }
}

/// f2 … f8, i1 … i8, u1 … u8 after '<' or '>'; '=', '|' and no sign: the order of this machine.
NpyType npy_type(std::string_view descr, std::string const& path) {
  bool const has_sign =
      !descr.empty() && std::string_view("<>=|").find(descr[0]) != std::string_view::npos;
  std::string_view const type = descr.substr(has_sign ? 1 : 0);
  auto const* const known =
      std::ranges::find(types, type, &std::pair<std::string_view, ElementType>::first);
  if (known == types.end()) {
    throw FileError(ErrorKind::bad_input, path,
                    "has an unsupported element type: expected f2, f4, f8 or integers (i1 to i8, "
                    "u1 to u8), found '" +
                        printable(descr) + "' (" +
                        std::string(in_words(type.empty() ? '\0' : type[0])) + ")" +
                        (type == "V2" ? "; numpy.save writes bfloat16 in this way, without its "
                                        "name: save array.astype(numpy.float32) instead"
                                      : ""));
  }
  return {known->second, descr[0] == '>' ? std::endian::big : std::endian::little};
}

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view digits = "0123456789";

class Parser {
 public:
  Parser(std::string_view text, std::string const& path) : text_(text), path_(path) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      parse_item();
      if (accept('}')) break;
      expect(',');
    }
    skip_blanks();
    if (position_ != text_.size()) wrong("nothing after the closing '}'");
    require(type_.has_value(), "descr");
    require(fortran_order_.has_value(), "fortran_order");
    require(shape_.has_value(), "shape");
    return {type_->type, type_->byte_order, *fortran_order_, *shape_};
  }

 private:
  void parse_item() {
    std::string_view const key = parse_string("a key in quotes");
    expect(':');
    if (key == "descr") {
      once(type_.has_value(), key);
      type_ = parse_type();
    } else if (key == "fortran_order") {
      once(fortran_order_.has_value(), key);
      fortran_order_ = parse_truth();
    } else if (key == "shape") {
      once(shape_.has_value(), key);
      shape_ = parse_shape();
    } else {
      fail(
          "has an unknown key in its header: expected 'descr', 'fortran_order' and 'shape', found "
          "'" +
          printable(key) + "'");
    }
  }

  NpyType parse_type() {
    skip_blanks();
    if (position_ < text_.size() && text_[position_] == '[') {
      fail("has a structured element type: expected numbers, found a list of fields: " +
           printable(text_.substr(position_)));
    }
    return npy_type(parse_string("the element type in quotes"), path_);
  }

  bool parse_truth() {
    skip_blanks();
    for (bool const value : {true, false}) {
      std::string_view const word = value ? "True" : "False";
      if (text_.substr(position_, word.size()) == word) {
        position_ += word.size();
        return value;
      }
    }
    wrong("True or False for 'fortran_order'");
  }

  std::vector<std::uint64_t> parse_shape() {
    std::vector<std::uint64_t> shape;
    bool comma = true;
    expect('(');
    while (!accept(')')) {
      if (!comma) wrong("',' or ')' in the shape");
      shape.push_back(parse_number());
      comma = accept(',');
      if (shape.size() > 2) break;
    }
    if (shape.empty() || shape.size() > 2) {
      fail("has the wrong number of dimensions: expected 1 or 2, found " +
           (shape.empty() ? std::string("0") : std::string("more than 2")));
    }
    // (5) is a number.
    if (shape.size() == 1 && !comma)
      fail("has a broken header: expected the shape (" + std::to_string(shape[0]) + ",), found (" +
           std::to_string(shape[0]) + ")");
    return shape;
  }

  std::uint64_t parse_number() {
    skip_blanks();
    std::size_t const end = std::min(text_.find_first_not_of(digits, position_), text_.size());
    std::string_view const number = text_.substr(position_, end - position_);
    if (number.empty() || (number.size() > 1 && number.front() == '0')) {
      wrong("a whole number in the shape");
    }
    std::uint64_t value = 0;
    auto const [last, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc{}) {
      fail("has a header whose sizes overflow: expected dimensions below 2^64, found " +
           printable(number));
    }
    position_ = end;
    if (position_ < text_.size() && text_[position_] == 'L') ++position_;  // Python 2 wrote 3L
    return value;
  }

  std::string_view parse_string(char const* what) {
    skip_blanks();
    char const quote = position_ < text_.size() ? text_[position_] : '\0';
    if (quote != '\'' && quote != '"') wrong(what);
    std::size_t const end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) wrong(std::string(what) + " with its closing quote");
    std::string_view const content = text_.substr(position_ + 1, end - position_ - 1);
    if (content.find('\\') != std::string_view::npos) wrong(std::string(what) + " without escapes");
    position_ = end + 1;
    return content;
  }

  void skip_blanks() {
    position_ = std::min(text_.find_first_not_of(blanks, position_), text_.size());
  }

  bool accept(char wanted) {
    skip_blanks();
    if (position_ == text_.size() || text_[position_] != wanted) return false;
    ++position_;
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) wrong(std::string("'") + wanted + "'");
  }

  void once(bool seen, std::string_view key) const {
    if (seen) fail("has a broken header: expected '" + std::string(key) + "' once, found it twice");
  }

  void require(bool seen, char const* key) const {
    if (!seen) fail("has a broken header: expected the key '" + std::string(key) + "', found none");
  }

  [[noreturn]] void wrong(std::string const& expected) const {
    std::string const found = position_ < text_.size()
                                  ? "'" + printable(text_.substr(position_)) + "'"
                                  : std::string("its end");
    fail("has a broken header: expected " + expected + ", found " + found + " at character " +
         std::to_string(position_));
  }

  [[noreturn]] void fail(std::string const& sentence) const {
    throw FileError(ErrorKind::bad_input, path_, sentence);
  }

  std::string_view text_;
  std::string const& path_;
  std::size_t position_ = 0;
  std::optional<NpyType> type_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<std::uint64_t>> shape_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, std::string const& path) {
  return Parser(text, path).parse();
}

std::string format_npy_header(MatrixInfo const& info) {
  std::string const second = info.dimensions == 2 ? " " + std::to_string(info.cols) : "";
  return std::string("{'descr': '") + (info.type == ScalarType::f32 ? "<f4" : "<f8") +
         "', 'fortran_order': " + (info.layout == Layout::left ? "True" : "False") +
         ", 'shape': (" + std::to_string(info.rows) + "," + second + "), }";
}

}  // namespace tessera::io
