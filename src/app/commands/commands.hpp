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

/// The subcommands, similar ones in one file. Kokkos must be initialised, with two exceptions
/// below. They write to stdout, and throw Failure, io::FileError or std::bad_alloc.

/// `tessera gen`
ExitStatus run_command(io::GenerateRequest const& options);
/// `tessera convert`. Kokkos need not be initialised.
ExitStatus run_command(ConvertOptions const& options);
/// `tessera atax`, `tessera gemv`, `tessera gemvt`
ExitStatus run_command(ComputeOptions const& options);
/// `tessera transpose`
ExitStatus run_command(TransposeOptions const& options);
/// `tessera gemm`
ExitStatus run_command(GemmOptions const& options);
/// `tessera lstsq`, `tessera ridge`
ExitStatus run_command(LeastSquaresOptions const& options);
/// `tessera svd`, `tessera pca`
ExitStatus run_command(TripletOptions const& options);
/// `tessera fit`
ExitStatus run_command(FitOptions const& options);
/// `tessera bench`
ExitStatus run_command(BenchOptions const& options);
/// `tessera tune`
ExitStatus run_command(TuneOptions const& options);
/// `tessera check`
ExitStatus run_command(CheckOptions const& options);
/// `tessera show`
ExitStatus run_command(ShowOptions const& options);
/// `tessera info`. Kokkos need not be initialised: the output then states that for the backends.
ExitStatus run_command(InfoOptions const& options);

// Shared by `bench` and `tune`: converts words of the command line to the terms of src/bench.

/// The backend to measure; `automatic` is the GPU if there is one, else the best host backend.
/// @throws Failure resources if it is not in this build, usage for options that it ignores
[[nodiscard]] BackendFacts measured_backend(MeasureOptions const& options);

[[nodiscard]] bench::Layout layout_of(io::Layout layout);

/// Transposes are measured row-major: a column-major one is the row-major one of the other shape.
/// @throws Failure usage
void require_layout(std::string const& operation, io::Layout layout);

/// The shapes of an option; for empty text, the default shapes.
/// @throws Failure usage
[[nodiscard]] std::vector<bench::Shape> parse_shapes(std::string const& option,
                                                     std::string const& text,
                                                     std::string const& operation);

}  // namespace tessera::app
