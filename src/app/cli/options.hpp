// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <variant>
#include <vector>

#include <app/base/failure.hpp>
#include <app/run/options.hpp>

namespace tessera::app {

using Options =
    std::variant<io::GenerateRequest, ConvertOptions, ComputeOptions, TransposeOptions, GemmOptions,
                 LeastSquaresOptions, TripletOptions, StatsOptions, FitOptions, BenchOptions,
                 TuneOptions, CheckOptions, ShowOptions, InfoOptions>;

/// Prints help, the version, completion and errors itself, then returns an ExitStatus.
/// @param asked if not null, receives what must be equal on all ranks (without file names and
/// options such as --threads), or why nothing is run
[[nodiscard]] std::variant<ExitStatus, Options> parse_options(
    int argc, char const* const* argv, std::vector<std::string>* asked = nullptr);

}  // namespace tessera::app
