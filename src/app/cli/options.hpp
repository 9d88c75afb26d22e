// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <variant>
#include <vector>

#include <app/base/failure.hpp>
#include <app/run/options.hpp>

namespace tessera::app {

/// One alternative for each subcommand.
using Options = std::variant<io::GenerateRequest, ConvertOptions, ComputeOptions, TransposeOptions,
                             GemmOptions, LeastSquaresOptions, TripletOptions, FitOptions,
                             BenchOptions, TuneOptions, CheckOptions, ShowOptions, InfoOptions>;

/// Parses the command line. Prints help, the version, completion and errors of usage itself;
/// then, and only then, it returns an ExitStatus.
[[nodiscard]] std::variant<ExitStatus, Options> parse_options(int argc, char const* const* argv);

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
