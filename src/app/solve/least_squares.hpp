// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include <app/run/options.hpp>
#include <app/solve/operator.hpp>
#include <io/matrix_reader.hpp>
#include <io/types.hpp>
#include <tessera/solve/control.hpp>

namespace tessera::app {

/// A solution of least squares, on the host.
struct LeastSquaresSolution {
  io::HostVector x;
  solve::Stop stop = solve::Stop::iteration_limit;
  std::int64_t iterations = 0;
  std::int64_t reads = 0;
  std::int64_t first_iteration = 0;  ///< of a checkpoint that it went on from
  double normr = 0;
  double normar = 0;
  double norma = 0;
  double conda = 0;
  double normx = 0;
  std::vector<solve::Step> history;
  double seconds = 0;  ///< of all steps
  Reading reading;
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
