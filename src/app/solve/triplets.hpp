// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include <app/run/options.hpp>
#include <app/solve/operator.hpp>
#include <io/matrix_reader.hpp>
#include <io/types.hpp>

namespace tessera::app {

/// Singular values and vectors on the host: of A, or of what `pca` makes of it.
struct Triplets {
  std::vector<double> s;  ///< fewer than were asked for where it stopped early
  std::vector<double> residuals;
  io::HostMatrix VT;              ///< one a row
  io::HostMatrix U;               ///< one a column, where it is wanted
  std::vector<double> mean;       ///< of each column; of pca, as are those below
  std::vector<double> deviation;  ///< of each column
  std::vector<double> variance;   ///< along each direction
  std::vector<double> ratio;      ///< the same, as a part of that of all columns
  SolveRun run;
};

/// Vectors of the basis between two restarts, or of a block.
[[nodiscard]] std::int64_t basis_of(TripletOptions const& options, io::MatrixInfo const& info);
/// Steps at most.
[[nodiscard]] std::int64_t limit_of(TripletOptions const& options, io::MatrixInfo const& info);
/// Bytes that the solver keeps beside the matrix.
[[nodiscard]] std::uint64_t vector_bytes(TripletOptions const& options, io::MatrixInfo const& info,
                                         io::ScalarType type);

/// Bytes more where the matrix is in memory.
[[nodiscard]] std::uint64_t bytes_in_memory(TripletOptions const& options,
                                            io::MatrixInfo const& info, io::ScalarType type);

/// Solves. @throws Failure, io::FileError
[[nodiscard]] Triplets find_triplets(TripletOptions const& options, SolveRequest const& request);

/// What an independent look at triplets found, beside the largest singular value s_1.
struct TripletCheck {
  double right = 0;        ///< the largest ‖Aᵀ·(A·v) - s²·v‖/s_1²
  double left = 0;         ///< the largest ‖A·v - s·u‖/s_1, where there is U
  double v = 0;            ///< the largest entry of Vᵀ·V - I
  double u = 0;            ///< of Uᵀ·U - I
  double right_below = 0;  ///< where those count as small
  double left_below = 0;
  double orthogonal_below = 0;

  [[nodiscard]] bool passed() const {
    return right <= right_below && left <= left_below && v <= orthogonal_below &&
           u <= orthogonal_below;
  }
};

/// Reads the matrix once, of pca up to three times, and adds in double-double.
/// @throws io::FileError
[[nodiscard]] TripletCheck check_triplets(TripletOptions const& options,
                                          io::MatrixReader const& reader, io::ScalarType type,
                                          Triplets const& found);

}  // namespace tessera::app
