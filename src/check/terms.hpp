// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/types.hpp>
#include <tessera/maps.hpp>

namespace tessera::check {

/// The operations on a matrix and a vector.
enum class Operation { atax, multiply, multiply_transposed, multiply_both };

/// The terms of an operation in addition to its products, in memory: C = α·Aᵀ·f(A·V) + β·z.
struct Terms {
  maps::Kind map = maps::Kind::identity;
  io::HostVector of_map = {};  ///< as long as a column; empty if there is no map
  double alpha = 1;
  double beta = 0;
  io::HostVector z = {};  ///< as long as a row; empty if there is no z

  [[nodiscard]] bool has_map() const { return map != maps::Kind::identity; }
  [[nodiscard]] bool adds() const { return beta != 0; }
  /// Whether C is more than the product with f(A·V).
  [[nodiscard]] bool scales() const { return alpha != 1 || adds(); }
};

}  // namespace tessera::check
