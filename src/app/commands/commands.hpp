// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <app/base/failure.hpp>
#include <app/run/options.hpp>

namespace tessera::app {

/// The subcommands, each in a file of its own. Kokkos must be initialised for all of them. They
/// write to stdout, and throw Failure, io::FileError or std::bad_alloc.

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
/// `tessera info`. Kokkos need not be initialised: then it says so of the backends.
ExitStatus run_command(InfoOptions const& options);

}  // namespace tessera::app
