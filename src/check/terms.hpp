// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/types.hpp>
#include <tessera/maps.hpp>

namespace tessera::check {

enum class Operation { atax, aatx, multiply, multiply_transposed, multiply_both };

/// Products that follow each other, with A and Aᵀ in turn.
struct Chain {
  bool begins_transposed;
  int products;
};
constexpr Chain chain_of(Operation operation) {
  return {operation == Operation::multiply_transposed || operation == Operation::aatx,
          operation == Operation::atax || operation == Operation::aatx ? 2 : 1};
}

/// C = α·Aᵀ·f(A·V) + β·z.
struct Terms {
  maps::Kind map = maps::Kind::identity;
  io::HostVector of_map = {};  ///< one per row of A, or empty
  double alpha = 1;
  double beta = 0;
  io::HostVector z = {};  ///< one per column of A, or empty

  [[nodiscard]] bool has_map() const { return map != maps::Kind::identity; }
  [[nodiscard]] bool adds() const { return beta != 0; }
  [[nodiscard]] bool scales() const { return alpha != 1 || adds(); }
};

}  // namespace tessera::check
