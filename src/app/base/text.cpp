// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bench/operation.hpp>
#include <bench/whole_number.hpp>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <app/base/text.hpp>

namespace tessera::app {
namespace {

/// Characters in UTF-8.
std::size_t width_of(std::string const& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62U;

constexpr std::pair<std::string_view, std::uint64_t> units[] = {
    {"", 1},
    {"B", 1},
    {"KB", 1'000},
    {"MB", 1'000'000},
    {"GB", 1'000'000'000},
    {"TB", 1'000'000'000'000},
    {"KiB", std::uint64_t{1} << 10U},
    {"MiB", std::uint64_t{1} << 20U},
    {"GiB", std::uint64_t{1} << 30U},
    {"TiB", std::uint64_t{1} << 40U},
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Length and value; 0 without a number.
std::pair<std::size_t, double> leading_number(std::string_view text) {
  // from_chars also accepts a minus, "inf" and "nan".
  bool const point = text.size() > 1 && text[0] == '.';
  if (text.empty() || !is_digit(text[point ? 1 : 0])) return {0, 0};
  double number = 0;
  auto const [last, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return {0, 0};
  return {static_cast<std::size_t>(last - text.data()), number};
}

}  // namespace

std::string command_of(std::string const& operation) {
  for (auto const& each : bench::operations()) {
    if (each.name == operation) return std::string(each.command);
  }
  return operation;
}

std::string matrix_text(bench::Shape const& shape) {
  auto const number = [](std::int64_t n) { return std::to_string(n); };
  if (shape.is_product()) {
    return number(shape.rows) + " x " + number(shape.cols) + " times " + number(shape.cols) +
           " x " + number(shape.factor_cols);
  }
  return number(shape.rows) + " rows x " + number(shape.cols) + " columns" +
         (shape.padding > 0 ? ", padding " + number(shape.padding) : "");
}

std::string aligned(std::vector<std::vector<std::string>> const& lines,
                    std::vector<std::size_t> const& words) {
  std::vector<std::size_t> widths(lines.empty() ? 0 : lines.front().size(), 0);
  for (auto const& line : lines) {
    for (std::size_t k = 0; k < line.size(); ++k)
      widths[k] = std::max(widths[k], width_of(line[k]));
  }
  std::string text;
  for (auto const& line : lines) {
    std::string row = " ";
    for (std::size_t k = 0; k < line.size(); ++k) {
      std::string const space(widths[k] - width_of(line[k]), ' ');
      bool const is_word = k == 0 || std::ranges::find(words, k) != words.end();
      row += (k == 0 ? " " : "  ") + (is_word ? line[k] + space : space + line[k]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

std::optional<double> decimal_number(std::string_view text) {
  auto const [length, number] = leading_number(text);
  if (length == 0 || length != text.size()) return std::nullopt;
  return number;
}

bool is_beyond_double(std::string_view text) {
  double number = 0;
  if (text.starts_with('-')) text.remove_prefix(1);
  std::string const digits(text);
  char const* const end = digits.data() + digits.size();
  auto const [last, error] = std::from_chars(digits.data(), end, number);
  return error == std::errc::result_out_of_range && last == end;
}

std::optional<std::uint64_t> size_in_bytes(std::string_view text) {
  auto const [length, number] = leading_number(text);
  auto const* const unit = std::ranges::find(units, text.substr(length),
                                             &std::pair<std::string_view, std::uint64_t>::first);
  if (length == 0 || unit == std::end(units)) return std::nullopt;
  std::uint64_t bytes = 0;
  if (auto const whole = bench::whole_number(text.substr(0, length))) {
    if (__builtin_mul_overflow(*whole, unit->second, &bytes)) return std::nullopt;
  } else if (unit->second == 1) {
    return std::nullopt;  // part of a byte
  } else {
    double const product = number * static_cast<double>(unit->second);
    if (!(product <= static_cast<double>(most_bytes))) return std::nullopt;
    bytes = static_cast<std::uint64_t>(product);
  }
  if (bytes < 1 || bytes > most_bytes) return std::nullopt;
  return bytes;
}

std::optional<TwoExtents> two_extents(std::string_view text) {
  auto const x = text.find('x');
  if (x == std::string_view::npos) return std::nullopt;
  auto const first = bench::whole_number(text.substr(0, x));
  auto const second = bench::whole_number(text.substr(x + 1));
  auto const fits = [](std::optional<std::uint64_t> const& number) {
    return number && *number >= 1 && *number <= std::numeric_limits<int>::max();
  };
  if (!fits(first) || !fits(second)) return std::nullopt;
  return TwoExtents{.first = static_cast<int>(*first), .second = static_cast<int>(*second)};
}

std::string fixed(double value, int digits) {
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string general(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return fixed(seconds * 1e6, 1) + " µs";
  if (seconds < 1) return fixed(seconds * 1e3, 3) + " ms";
  return fixed(seconds, 3) + " s";
}

std::string csv_field(std::string const& value) {
  if (value.find_first_of(",\"\n\r") == std::string::npos) return value;
  std::string quoted = "\"";
  for (char const c : value) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string wrapped(std::string_view text, std::size_t columns) {
  std::string result;
  while (!text.empty()) {
    auto const end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    while (!line.starts_with(' ') && width_of(std::string(line)) > columns) {
      std::size_t cut = std::string_view::npos;
      for (auto space = line.find(' '); space != std::string_view::npos;
           space = line.find(' ', space + 1)) {
        bool const fits = width_of(std::string(line.substr(0, space))) <= columns;
        if (fits || cut == std::string_view::npos) cut = space;
        if (!fits) break;
      }
      if (cut == std::string_view::npos) break;
      result.append(line.substr(0, cut)) += '\n';
      line.remove_prefix(cut + 1);
    }
    result.append(line);
    if (end != std::string_view::npos) result += '\n';
  }
  return result;
}

std::size_t columns_of(int descriptor) {
  char const* const said = std::getenv("COLUMNS");
  if (auto const number = bench::whole_number(said == nullptr ? "" : said); number && *number > 0) {
    return static_cast<std::size_t>(*number);
  }
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string without_controls(std::string_view text) {
  std::string clean(text);
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(clean[i]); };
  for (std::size_t i = 0; i < clean.size(); ++i) {
    if (byte(i) < 0x20 || byte(i) == 0x7f) clean[i] = '?';
    // 8-bit controls in UTF-8.
    bool const is_c1 =
        byte(i) == 0xc2 && i + 1 < clean.size() && byte(i + 1) >= 0x80 && byte(i + 1) < 0xa0;
    if (is_c1) clean.replace(i, 2, "?");
  }
  return clean;
}

void say(std::string const& sentence) {
  std::string text = "tessera: " + without_controls(sentence);
  if (isatty(STDERR_FILENO) == 1) text = wrapped(text, columns_of(STDERR_FILENO));
  std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace tessera::app
