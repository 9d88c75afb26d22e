// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

/// The words of a command line before they are parsed, so that what is wrong with one of them is
/// said first, and not that another one is missing.
namespace tessera::app {

/// Whether an option has no value.
[[nodiscard]] bool is_flag(CLI::Option const& option);

/// The words as CLI11 understands them: `help [COMMAND]`, `version` and `COMMAND --version` become
/// options.
[[nodiscard]] std::vector<std::string> usual_words(CLI::App const& app,
                                                   std::vector<std::string> words);

/// Refuses
/// - unknown commands and options, and suggests the nearest known name,
/// - options without a value, and flags with one,
/// - surplus words,
/// - values that are not among the words that an option takes.
/// @param words the name of the command first
/// @throws CLI::ParseError
void check_words(CLI::App const& app, std::vector<std::string> const& words);

}  // namespace tessera::app
