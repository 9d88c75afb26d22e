// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <variant>
#include <vector>

#include <app/base/failure.hpp>
#include <app/run/options.hpp>

namespace tessera::app {

/// One alternative per subcommand.
using Options = std::variant<io::GenerateRequest, ConvertOptions, ComputeOptions, TransposeOptions,
                             GemmOptions, LeastSquaresOptions, TripletOptions, FitOptions,
                             BenchOptions, TuneOptions, CheckOptions, ShowOptions, InfoOptions>;

/// Parses the command line. Prints help, the version, completion and usage errors itself; only then
/// it returns an ExitStatus.
/// @param asked if not null, receives what must be equal on all ranks: the command and its options.
/// File names and options that may differ between ranks, such as --threads, are left out. If
/// nothing is to be run, receives the reason.
[[nodiscard]] std::variant<ExitStatus, Options> parse_options(
    int argc, char const* const* argv, std::vector<std::string>* asked = nullptr);

}  // namespace tessera::app
