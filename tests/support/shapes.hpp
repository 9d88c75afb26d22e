// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

namespace tessera::test {

/// Rows and columns of a matrix.
struct Shape {
  std::int64_t rows;
  std::int64_t cols;

  std::int64_t size() const { return rows * cols; }
  friend bool operator==(Shape const&, Shape const&) = default;
  friend std::ostream& operator<<(std::ostream& out, Shape const& shape) {
    return out << shape.rows << " x " << shape.cols;
  }
};

/// Every pair of 1, primes, powers of two and their neighbours up to 1000, and, beyond these,
/// shapes at the limits of a lane count, a segment, a panel; very wide ones and very tall ones.
std::vector<Shape> all_shapes();

/// A dozen of these, for properties that are tried many times over.
std::vector<Shape> few_shapes();

/// Row-major shapes with lines enough for panels of nine, one in each regime of the formula: some
/// 34 million elements each. Their transposes are such shapes in column-major order.
std::vector<Shape> large_shapes();

}  // namespace tessera::test
