// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

namespace tessera::io {

// Names inside the commands that messages suggest. A user pastes these commands into a shell.

/// Quotes `text` for bash if needed, without truncation. Control characters are escaped, so the
/// word is one line.
[[nodiscard]] std::string shell_word(std::string_view text);

/// As shell_word, for a file name. A name that begins with a dash gets "./" in front, so that no
/// command takes it as an option.
[[nodiscard]] std::string shell_file(std::string_view name);

/// `text` as a literal of Python, in single quotes.
[[nodiscard]] std::string python_literal(std::string_view text);

}  // namespace tessera::io
