// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <io/matrix_reader.hpp>
#include <io/types.hpp>

/// What a solution of least squares is worth, found in higher precision than it was computed in.
namespace tessera::app {

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
