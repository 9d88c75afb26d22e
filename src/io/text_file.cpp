// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <system_error>

#include <io/text_file.hpp>

namespace tessera::io {
namespace {

constexpr std::size_t longest_line = 256U << 20U;
constexpr std::string_view blanks = " \t";

}  // namespace

bool TextFile::next() {
  line_.clear();
  bool any = false;
  std::size_t checked = 0;
  for (;;) {
    if (left_.empty()) {
      std::size_t const got = file_.read_some(position_, buffer_);
      position_ += got;
      left_ = {reinterpret_cast<char const*>(buffer_.data()), got};
      if (got == 0) break;
    }
    any = true;
    std::size_t const end = left_.find('\n');
    line_.append(left_.substr(0, end));
    checked = std::min(line_.find('\r', checked), line_.size());
    if (checked + 1 < line_.size()) {
      ++number_;
      fail("has a carriage return inside a line: expected lines that end in LF or CRLF, found CR",
           "; `tr '\\r' '\\n'` changes them");
    }
    if (line_.size() > longest_line) {
      ++number_;
      fail("has too long a line: expected at most 256 MiB, found more");
    }
    bool const whole = end != std::string_view::npos;
    left_.remove_prefix(whole ? end + 1 : left_.size());
    if (whole) break;
  }
  if (!any) return false;
  if (line_.ends_with('\r')) line_.pop_back();
  if (number_ == 0 && line_.starts_with(byte_order_mark)) line_.erase(0, byte_order_mark.size());
  ++number_;
  return true;
}

void TextFile::fail(std::string const& sentence, std::string const& advice) const {
  file_.fail(sentence + " in line " + std::to_string(number_) + advice);
}

std::string_view trimmed(std::string_view text) {
  std::size_t const first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char character) {
    return static_cast<char>(std::tolower(character));
  });
  return lower;
}

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  std::string_view const word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

std::optional<double> number_of(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  char const* const begin = text.data();
  char const* const end = begin + text.size();
  auto const [last, error] = std::from_chars(begin, end, value);
  if (last != end || text.empty()) return std::nullopt;
  if (error == std::errc{}) return value;
  if (error != std::errc::result_out_of_range) return std::nullopt;
  // strtod() returns infinity or zero.
  double const found = std::strtod(std::string(text).c_str(), nullptr);
  if (std::isinf(found)) return std::nullopt;
  return found;
}

bool is_integer(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_exactly(std::string_view integer, double value) {
  integer.remove_prefix(std::min(integer.find_first_not_of("+-0"), integer.size()));
  if (integer.size() <= std::numeric_limits<double>::digits10) return true;
  std::array<char, std::numeric_limits<double>::max_exponent10 + 2> digits{};
  char* const begin = digits.data();
  auto const [end, error] = std::to_chars(begin, begin + digits.size(), std::abs(value),
                                          std::chars_format::fixed, 0);  // exact
  return error == std::errc{} && integer == std::string_view(begin, end);
}

std::string inexact_integer(ScalarType type, std::string const& found) {
  bool const single = type == ScalarType::f32;
  return "has an integer that " + std::string(to_string(type)) +
         " does not hold exactly: expected at most " +
         std::to_string(single ? std::numeric_limits<float>::digits
                               : std::numeric_limits<double>::digits) +
         " significant bits, found " + found;
}

}  // namespace tessera::io
