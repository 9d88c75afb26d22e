// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include <app/run/input.hpp>
#include <app/run/options.hpp>
#include <app/solve/operator.hpp>
#include <io/matrix_reader.hpp>
#include <io/types.hpp>
#include <tessera/solve/stop.hpp>

namespace tessera::app {

/// What a method tells of one right-hand side.
struct RightSideFacts {
  solve::Stop stop = solve::Stop::iteration_limit;
  std::int64_t iterations = 0;
  std::int64_t reads = 0;
  double normr = 0;
  double normar = 0;
  double norma = 0;
  double conda = 0;
  double normx = 0;
};

/// Solutions of least squares, on the host.
struct LeastSquaresSolution {
  io::HostVector x;                   ///< one after the other
  std::vector<RightSideFacts> facts;  ///< of each right-hand side
  SolveRun run;                       ///< of all: the first stop without success, if there is one
};

/// What √λ or --damp says.
[[nodiscard]] double damp_of(LeastSquaresOptions const& options);
/// Steps at most.
[[nodiscard]] std::int64_t limit_of(LeastSquaresOptions const& options, io::MatrixInfo const& info);
/// Bytes that the solver keeps beside the matrix, and those of all right-hand sides and solutions.
[[nodiscard]] std::uint64_t vector_bytes(LeastSquaresOptions const& options,
                                         io::MatrixInfo const& info, io::ScalarType type,
                                         std::int64_t right_sides);

/// Vector j of some that lie one after the other, not copied.
[[nodiscard]] io::HostVector part_of(io::HostVector const& vectors, std::int64_t columns,
                                     std::int64_t j);

/// Solves for one right-hand side after the other. @throws Failure, io::FileError
[[nodiscard]] LeastSquaresSolution solve_least_squares(LeastSquaresOptions const& options,
                                                       SolveRequest const& request,
                                                       VectorOfFile const& b);

/// Norms of the problem, with r = b - A·x.
struct Residual {
  double normr = 0;     ///< ‖r‖
  double gradient = 0;  ///< ‖Aᵀ·r - damp²·x‖
  double norma = 0;     ///< Frobenius norm of A
  double normb = 0;
  double normx = 0;
};

/// Reads the matrix once, in blocks, and adds in double-double.
/// @param x, b of the type that the elements of A are taken in
/// @throws io::FileError
[[nodiscard]] Residual residual_of(io::MatrixReader const& reader, io::HostVector const& x,
                                   io::HostVector const& b, double damp);

}  // namespace tessera::app
