// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera::io {

// Text of files in messages, and commands which a user pastes.

/// Text of a file for messages: '?' except for printable ASCII.
[[nodiscard]] std::string printable(std::string_view text, std::size_t longest = 40);

/// Quoted for bash if needed; control characters are escaped.
[[nodiscard]] std::string shell_word(std::string_view text);

/// "./" before a leading dash.
[[nodiscard]] std::string shell_file(std::string_view name);

[[nodiscard]] std::string python_literal(std::string_view text);

}  // namespace tessera::io
