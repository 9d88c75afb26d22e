// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/shapes.hpp>
#include <bench/whole_number.hpp>
#include <limits>
#include <optional>
#include <stdexcept>

namespace tessera::bench {
namespace {

// Less than a minute on an H200.
constexpr std::string_view quick =
    "16384x16384,65536x4096,4096x65536,262144x256,4096x4096,1024x1024,12345x6789,1000x1000+3";

// Ordered so that the last ones can be omitted if time runs out.
constexpr std::string_view grid =
    "16384x16384,8192x8192,4096x4096,2048x2048,1024x1024,1048576x1024,65536x4096,4096x65536,"
    "262144x256,256x262144,4194304x64,64x4194304,10240x10240,32768x32768,1024x1048576,128x16384,"
    "1000x1000,12345x6789,1000003x97,97x1000003,50000x50000,"
    "1000x1000+1,4096x4096+2,16384x16384+3,262144x255+2,255x262144+2";

constexpr std::string_view quick_products = "4096,1024,1000,8192x512x512,512x512x8192";
constexpr std::string_view grid_products =
    "4096,8192,10240,2048,1024,512,256,1000,2047,8192x512x512,512x8192x512,512x512x8192,"
    "100000x64x64,64x64x100000";

std::optional<std::int64_t> extent_of(std::string_view text) {
  auto const number = whole_number(text);
  if (!number || *number > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::vector<std::int64_t> numbers_of(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (;;) {
    auto const x = text.find('x');
    auto const number = extent_of(text.substr(0, x));
    if (!number || *number < 1) return {};
    numbers.push_back(*number);
    if (x == std::string_view::npos) return numbers;
    text.remove_prefix(x + 1);
  }
}

Shape parse_matrix(std::string_view text) {
  auto const plus = text.find('+');
  auto const numbers = numbers_of(text.substr(0, plus));
  auto const padding = plus == std::string_view::npos ? 0 : extent_of(text.substr(plus + 1));
  if (numbers.size() != 2 || !padding) {
    throw std::invalid_argument("'" + std::string(text) +
                                "' is no shape: expected ROWSxCOLS or ROWSxCOLS+PADDING with at "
                                "least one row and one column, `quick` or `grid`");
  }
  return {.rows = numbers[0], .cols = numbers[1], .padding = *padding};
}

Shape parse_product(std::string_view text) {
  auto numbers = numbers_of(text);
  if (numbers.size() == 1) numbers.assign(3, numbers.front());
  if (numbers.size() != 3) {
    throw std::invalid_argument("'" + std::string(text) +
                                "' is no shape of a product: expected MxNxK or N, all at least 1, "
                                "`quick` or `grid`");
  }
  return {.rows = numbers[0], .cols = numbers[2], .factor_cols = numbers[1]};
}

std::string_view list_named(std::string_view name, ShapeKind kind) {
  bool const is_product = kind == ShapeKind::product;
  if (name == "quick") return is_product ? quick_products : quick;
  if (name == "grid") return is_product ? grid_products : grid;
  return {};
}

}  // namespace

std::string name_of(Shape const& shape) {
  std::string const rows = std::to_string(shape.rows) + "x";
  std::string const cols = std::to_string(shape.cols);
  if (shape.is_product()) return rows + std::to_string(shape.factor_cols) + "x" + cols;
  return rows + cols + (shape.padding > 0 ? "+" + std::to_string(shape.padding) : "");
}

std::vector<std::string> split_at_commas(std::string_view list) {
  std::vector<std::string> parts;
  for (;;) {
    auto const comma = list.find(',');
    parts.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

std::vector<Shape> parse_shapes(std::string_view list, ShapeKind kind) {
  std::vector<Shape> shapes;
  for (std::string const& part : split_at_commas(list)) {
    if (auto const named = list_named(part, kind); !named.empty()) {
      auto const more = parse_shapes(named, kind);
      shapes.insert(shapes.end(), more.begin(), more.end());
    } else {
      shapes.push_back(kind == ShapeKind::product ? parse_product(part) : parse_matrix(part));
    }
  }
  return shapes;
}

}  // namespace tessera::bench
