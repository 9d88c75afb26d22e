// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

namespace tessera::app {

/// One option, as completion sees it.
struct OptionDescription {
  std::string name;                  ///< with the dashes
  std::vector<std::string> choices;  ///< the values it may have; empty: a file or a number
};

/// One subcommand, as completion sees it.
struct CommandDescription {
  std::string name;
  std::vector<OptionDescription> options;
};

/// A bash script that completes subcommands, options, their values, and file names.
[[nodiscard]] std::string bash_completion(std::vector<CommandDescription> const& commands);

}  // namespace tessera::app
