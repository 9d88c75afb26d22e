// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include <app/run/options.hpp>
#include <app/solve/operator.hpp>
#include <app/solve/run.hpp>
#include <io/matrix_reader.hpp>
#include <io/types.hpp>

namespace tessera::app {

/// A solution of least squares, on the host.
struct LeastSquaresSolution {
  io::HostVector x;
  SolveRun run;
  double normr = 0;
  double normar = 0;
  double norma = 0;
  double conda = 0;
  double normx = 0;
};

/// What √λ or --damp says.
[[nodiscard]] double damp_of(LeastSquaresOptions const& options);
/// Steps at most.
[[nodiscard]] std::int64_t limit_of(LeastSquaresOptions const& options, io::MatrixInfo const& info);
/// Bytes that the solver keeps beside the matrix.
[[nodiscard]] std::uint64_t vector_bytes(LeastSquaresOptions const& options,
                                         io::MatrixInfo const& info, io::ScalarType type);

/// Solves. @throws Failure, io::FileError
[[nodiscard]] LeastSquaresSolution solve_least_squares(LeastSquaresOptions const& options,
                                                       SolveRequest const& request,
                                                       io::HostVector const& b);

}  // namespace tessera::app
