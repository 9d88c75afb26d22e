// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

/// Checks words before they are parsed, so that a wrong one is reported before a missing one.
namespace tessera::app {

[[nodiscard]] bool is_flag(CLI::Option const& option);

/// `help [COMMAND]`, `version` and `COMMAND --version` become options.
[[nodiscard]] std::vector<std::string> usual_words(CLI::App const& app,
                                                   std::vector<std::string> words);

/// Refuses unknown, missing and surplus words; suggests the nearest name.
/// @throws CLI::ParseError
void check_words(CLI::App const& app, std::vector<std::string> const& words);

}  // namespace tessera::app
