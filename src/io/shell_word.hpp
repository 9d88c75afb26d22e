// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

namespace tessera::io {

// For commands in messages, which a user pastes.

/// Quoted for bash if needed; control characters are escaped.
[[nodiscard]] std::string shell_word(std::string_view text);

/// "./" before a leading dash.
[[nodiscard]] std::string shell_file(std::string_view name);

[[nodiscard]] std::string python_literal(std::string_view text);

}  // namespace tessera::io
