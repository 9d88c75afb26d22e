// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bench/whole_number.hpp>
#include <charconv>
#include <iterator>
#include <limits>
#include <system_error>
#include <utility>

#include <app/base/numbers.hpp>

namespace tessera::app {
namespace {

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

/// How many characters from the start on are a decimal number, and that; 0 where none is.
std::pair<std::size_t, double> leading_number(std::string_view text) {
  // from_chars alone would take a minus, "inf" and "nan".
  bool const point = text.size() > 1 && text[0] == '.';
  if (text.empty() || !is_digit(text[point ? 1 : 0])) return {0, 0};
  double number = 0;
  auto const [last, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return {0, 0};
  return {static_cast<std::size_t>(last - text.data()), number};
}

}  // namespace

std::optional<double> decimal_number(std::string_view text) {
  auto const [length, number] = leading_number(text);
  if (length == 0 || length != text.size()) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> size_in_bytes(std::string_view text) {
  auto const [length, number] = leading_number(text);
  auto const* const unit = std::ranges::find(units, text.substr(length),
                                             &std::pair<std::string_view, std::uint64_t>::first);
  if (length == 0 || unit == std::end(units)) return std::nullopt;
  std::uint64_t bytes = 0;
  if (auto const whole = bench::whole_number(text.substr(0, length))) {
    if (__builtin_mul_overflow(*whole, unit->second, &bytes)) return std::nullopt;
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

}  // namespace tessera::app
