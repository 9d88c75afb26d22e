// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

/// Checks the words of a command line before they are parsed. A wrong word is reported before a
/// missing one.
namespace tessera::app {

/// Whether an option has no value.
[[nodiscard]] bool is_flag(CLI::Option const& option);

/// Translates the words for CLI11: `help [COMMAND]`, `version` and `COMMAND --version` become
/// options.
[[nodiscard]] std::vector<std::string> usual_words(CLI::App const& app,
                                                   std::vector<std::string> words);

/// Refuses
/// - unknown commands and options, and suggests the nearest known name,
/// - options without a value, and flags with one,
/// - surplus words,
/// - values that are not among the words that an option accepts.
/// @param words starts with the name of the command
/// @throws CLI::ParseError
void check_words(CLI::App const& app, std::vector<std::string> const& words);

}  // namespace tessera::app
