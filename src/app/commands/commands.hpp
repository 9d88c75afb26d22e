// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bench/contender.hpp>
#include <bench/shapes.hpp>
#include <string>
#include <vector>

#include <app/backend/backends.hpp>
#include <app/base/failure.hpp>
#include <app/run/options.hpp>
#include <io/types.hpp>

namespace tessera::app {

/// They write to stdout. Kokkos must be initialised, except for `convert`, `info` and `tune --show`
/// or `--reset`.

ExitStatus run_command(io::GenerateRequest const& options);
ExitStatus run_command(ConvertOptions const& options);
/// atax, aatx, gemv, gemvt, gemv-both
ExitStatus run_command(ComputeOptions const& options);
ExitStatus run_command(TransposeOptions const& options);
ExitStatus run_command(GemmOptions const& options);
/// lstsq, ridge
ExitStatus run_command(LeastSquaresOptions const& options);
/// svd, pca
ExitStatus run_command(TripletOptions const& options);
ExitStatus run_command(StatsOptions const& options);
ExitStatus run_command(FitOptions const& options);
ExitStatus run_command(BenchOptions const& options);
ExitStatus run_command(TuneOptions const& options);
ExitStatus run_command(CheckOptions const& options);
ExitStatus run_command(ShowOptions const& options);
ExitStatus run_command(InfoOptions const& options);

/// `automatic`: the GPU if there is one, else the best host backend.
[[nodiscard]] BackendFacts measured_backend(MeasureOptions const& options);

[[nodiscard]] bench::Layout layout_of(io::Layout layout);

/// Transposes are measured row-major.
void require_layout(std::string const& operation, io::Layout layout);

/// Empty text: the default shapes.
[[nodiscard]] std::vector<bench::Shape> parse_shapes(std::string const& option,
                                                     std::string const& text,
                                                     std::string const& operation);

}  // namespace tessera::app
