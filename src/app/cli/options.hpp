// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <variant>

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

}  // namespace tessera::app
