// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include <io/shell_word.hpp>

namespace tessera::io {
namespace {

bool is_control(char character) {
  auto const byte = static_cast<unsigned char>(character);
  return byte < 0x20 || byte == 0x7f;
}

bool is_plain(char character) {
  bool const is_word = (character >= 'a' && character <= 'z') ||
                       (character >= 'A' && character <= 'Z') ||
                       (character >= '0' && character <= '9');
  return is_word || std::string_view("_@%+=:,./-").find(character) != std::string_view::npos;
}

/// \xHH, one byte in bash's $'…' and in Python.
std::string escaped(char character) {
  constexpr std::string_view digits = "0123456789abcdef";
  auto const byte = static_cast<unsigned char>(character);
  return {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
}

std::string escaped_in_quotes(std::string_view text) {
  std::string word = "'";
  for (char const character : text) {
    if (is_control(character)) {
      word += escaped(character);
      continue;
    }
    if (character == '\'' || character == '\\') word += '\\';
    word += character;
  }
  return word + "'";
}

}  // namespace

std::string shell_word(std::string_view text) {
  if (std::ranges::any_of(text, is_control)) return "$" + escaped_in_quotes(text);
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string word = "'";
  for (char const character : text) {
    word += character == '\'' ? std::string("'\\''") : std::string(1, character);
  }
  return word + "'";
}

std::string shell_file(std::string_view name) {
  return shell_word(name.starts_with('-') ? "./" + std::string(name) : std::string(name));
}

std::string python_literal(std::string_view text) {
  return escaped_in_quotes(text);
}

std::string printable(std::string_view text, std::size_t longest) {
  std::string result(text.substr(0, longest));
  for (char& character : result) {
    if (character < ' ' || character > '~') character = '?';
  }
  return text.size() > longest ? result + "..." : result;
}

}  // namespace tessera::io
