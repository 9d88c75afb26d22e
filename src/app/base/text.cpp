// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>

#include <app/base/text.hpp>

namespace tessera::app {
namespace {

/// Characters of a text, each of one or more bytes.
std::size_t width_of(std::string const& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

}  // namespace

std::string command_of(std::string const& operation) {
  if (operation == "multiply") return "gemv";
  if (operation == "multiply_transposed") return "gemvt";
  return operation;
}

std::string matrix_text(bench::Shape const& shape) {
  auto const number = [](std::int64_t n) { return std::to_string(n); };
  if (shape.is_product()) {
    return number(shape.rows) + " x " + number(shape.cols) + " times " + number(shape.cols) +
           " x " + number(shape.factor_cols);
  }
  return number(shape.rows) + " rows x " + number(shape.cols) + " columns" +
         (shape.padding > 0 ? ", " + number(shape.padding) + " unused after each line" : "");
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

}  // namespace tessera::app
