// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "shapes.hpp"

#include <charconv>
#include <stdexcept>

namespace benchmarks {
namespace {

// Large and small, square, tall, wide, and odd: less than a minute on an H200.
constexpr std::string_view quick =
    "16384x16384,65536x4096,4096x65536,262144x256,4096x4096,1024x1024,12345x6789,1000x1000+3";

// What is left out when time runs out stands last.
constexpr std::string_view grid =
    "16384x16384,8192x8192,4096x4096,2048x2048,1024x1024,1048576x1024,65536x4096,4096x65536,"
    "262144x256,256x262144,4194304x64,64x4194304,10240x10240,32768x32768,1024x1048576,128x16384,"
    "1000x1000,12345x6789,1000003x97,97x1000003,50000x50000,"
    "1000x1000+1,4096x4096+2,16384x16384+3,262144x255+2,255x262144+2";

/// Reads the number that `text` begins with, and takes it and `sign` before it away.
std::int64_t take_number(std::string_view& text, std::string_view sign) {
  std::int64_t number = 0;
  if (text.starts_with(sign)) {
    text.remove_prefix(sign.size());
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{}) {
      text.remove_prefix(static_cast<std::size_t>(end - text.data()));
      return number;
    }
  }
  throw std::invalid_argument("a shape is ROWSxCOLS or ROWSxCOLS+PADDING, `quick` or `grid`");
}

Shape parse_shape(std::string_view text) {
  Shape shape{};
  shape.rows = take_number(text, "");
  shape.cols = take_number(text, "x");
  if (!text.empty()) shape.padding = take_number(text, "+");
  if (!text.empty() || shape.rows < 1 || shape.cols < 1 || shape.padding < 0) {
    throw std::invalid_argument("a shape has at least one row and one column, and no text behind");
  }
  return shape;
}

}  // namespace

std::vector<std::string> split_at_commas(std::string_view list) {
  std::vector<std::string> parts;
  for (;;) {
    auto const comma = list.find(',');
    parts.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

std::vector<Shape> parse_shapes(std::string_view list) {
  std::vector<Shape> shapes;
  for (std::string const& part : split_at_commas(list)) {
    if (part == "quick" || part == "grid") {
      auto const more = parse_shapes(part == "quick" ? quick : grid);
      shapes.insert(shapes.end(), more.begin(), more.end());
    } else {
      shapes.push_back(parse_shape(part));
    }
  }
  return shapes;
}

}  // namespace benchmarks
