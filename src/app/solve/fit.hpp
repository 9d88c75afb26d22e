// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include <app/run/options.hpp>
#include <app/solve/operator.hpp>
#include <io/matrix_reader.hpp>
#include <io/types.hpp>

namespace tessera::app {

/// The fit of a regression, on the host.
struct Fit {
  io::HostVector x;
  double intercept = 0;
  double loss = 0;           ///< with the penalty
  double gradient_norm = 0;  ///< of that
  SolveRun run;
};

/// Newton steps at most.
[[nodiscard]] std::int64_t limit_of(FitOptions const& options);
/// Bytes that the solver keeps beside the matrix.
[[nodiscard]] std::uint64_t vector_bytes(FitOptions const& options, io::MatrixInfo const& info,
                                         io::ScalarType type);
/// How far the gradient has to fall: what the user said, or what the type is good for.
[[nodiscard]] double tolerance_of(FitOptions const& options, io::ScalarType type);

/// Solves. @throws Failure, io::FileError
[[nodiscard]] Fit find_fit(FitOptions const& options, SolveRequest const& request,
                           io::HostVector const& y);

/// What an independent look at a fit found.
struct GradientCheck {
  double gradient = 0;  ///< norm of the gradient, beside that at x = 0
  double gradient_below = 0;

  [[nodiscard]] bool passed() const { return gradient <= gradient_below; }
};

/// Reads the matrix once, and adds in double-double. @throws io::FileError
[[nodiscard]] GradientCheck check_fit(FitOptions const& options, io::MatrixReader const& reader,
                                      io::ScalarType type, Fit const& fit, io::HostVector const& y);

}  // namespace tessera::app
