// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

namespace tessera::test {

struct Shape {
  std::int64_t rows;
  std::int64_t cols;

  std::int64_t size() const { return rows * cols; }
  friend bool operator==(Shape const&, Shape const&) = default;
  friend std::ostream& operator<<(std::ostream& out, Shape const& shape) {
    return out << shape.rows << " x " << shape.cols;
  }
};

/// Sanitizers take ten times as long and check addresses.
bool some_are_enough();

/// 1, primes, powers of two and neighbours up to 1000; limits of lanes, segments and panels; very
/// wide and tall.
std::vector<Shape> all_shapes();

std::vector<Shape> few_shapes();

/// 34 million elements, row-major, panels of nine, one per regime. Transposes cover column-major.
std::vector<Shape> large_shapes();

struct LinesShape {
  std::int64_t count;
  std::int64_t length;
};

/// For a type with so many lanes. Rows: one word per thread (of few threads, of half), two and all;
/// a warp's chunk of eight times the lanes; one or two chunks per warp; two chunks; lines in parts,
/// in more parts than a warp has threads, and longer. With 64 panels: rings of one team, clusters
/// of two teams with two lines and with one, and of four. Columns: slices of a segment, half and a
/// quarter, with three places or two, and tiles.
std::vector<LinesShape> lines_of_every_kernel(std::int64_t lanes);

}  // namespace tessera::test
