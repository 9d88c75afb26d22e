// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

namespace tessera::io {

// Names inside the commands that messages suggest. A user pastes these commands into a shell.

/// The word that bash reads as `text`: quoted if needed, never cut. Control characters are escaped,
/// so that the word is one line.
[[nodiscard]] std::string shell_word(std::string_view text);

/// The same of the name of a file. One that begins with a dash gets "./" in front, so that no
/// command takes it as an option.
[[nodiscard]] std::string shell_file(std::string_view name);

/// `text` as a literal of Python, in single quotes.
[[nodiscard]] std::string python_literal(std::string_view text);

}  // namespace tessera::io
