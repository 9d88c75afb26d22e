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
/// @param asked if not null, gets what all ranks have to be asked alike: the command and its
/// options, but not
///              the names of files, and not what each rank may have of its own, such as --threads;
///              or why nothing is done
[[nodiscard]] std::variant<ExitStatus, Options> parse_options(
    int argc, char const* const* argv, std::vector<std::string>* asked = nullptr);

}  // namespace tessera::app
