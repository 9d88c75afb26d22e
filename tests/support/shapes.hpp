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

/// Whether the tests have sanitizers, which take some ten times as long and check addresses: a
/// subset of the shapes, widths and tunings is then enough.
bool some_are_enough();

/// Every pair of 1, primes, powers of two and their neighbours up to 1000. Beyond these, shapes at
/// the limits of a lane count, a segment, a panel; very wide and very tall ones.
std::vector<Shape> all_shapes();

/// A dozen of these, for properties that are tested many times.
std::vector<Shape> few_shapes();

/// Row-major shapes with enough lines for panels of nine, one in each regime of the formula: some
/// 34 million elements each. Their transposes cover the column-major order.
std::vector<Shape> large_shapes();

/// A number of lines and their length.
struct LinesShape {
  std::int64_t count;
  std::int64_t length;
};

/// Of scalars in lanes: one word a thread (of a few threads, of half of them), two and all, a
/// warp's chunk of eight times the lanes, one chunk a warp, two chunks a warp, two chunks, lines in
/// parts, in more parts than a warp has threads, and lines beyond; with 64 panels, rings in
/// scratch: one team, clusters of two teams with two lines and with one, and of four. Column-major
/// ones come in slices of a whole segment, of a half (where teams have several) and of a quarter,
/// with three places or two, and in tiles.
std::vector<LinesShape> lines_of_every_kernel(std::int64_t lanes);

}  // namespace tessera::test
