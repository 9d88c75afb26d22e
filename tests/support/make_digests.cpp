// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Prints tests/data/digests.txt, computed by the reference implementation alone:
//   make_digests > tests/data/digests.txt
// A line that changes breaks Tessera's promise of equal bits and needs a new major version.

#include <array>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>

#include "support/digests.hpp"

namespace {

using tessera::test::Digest;
using tessera::test::Shape;

// Each shape stands for a regime of the order of summation.
constexpr std::array shapes{
    Shape{1, 1},        // the smallest
    Shape{7, 129},      // one more than full rows of lanes
    Shape{129, 513},    // one more than a segment; 17 panels, the last of one line
    Shape{1000, 1000},  // nothing is a power of two
    Shape{1797, 64},    // the optical digits
    Shape{2049, 1023},  // several segments, 257 panels
    Shape{100003, 3},   // tall, prime
    Shape{3, 100003},   // wide, prime
    Shape{300007, 2},   // more lines than panels of 8 are allowed
    Shape{40, 16385},   // long lines
    Shape{16400, 200},  // more than 1024 panels
    Shape{24, 140001},  // a tree over 274 segments
};

void print(Digest digest) {
  digest.sha256 = tessera::test::reference_sha256(digest);
  std::cout << digest << '\n';
}

void print_all() {
  std::cout
      << "# SPDX-FileCopyrightText: 2026 The Tessera authors\n"
         "# SPDX-License-Identifier: Apache-2.0\n"
         "# Made by make_digests from the reference implementation. Never edit, never regenerate\n"
         "# within a major version: these are the bits that Tessera promises.\n"
         "# operation type order rows cols seed sha256\n";
  std::uint64_t seed = 1;
  for (Shape const& shape : shapes) {
    for (std::string const type : {"f32", "f64"}) {
      for (std::string const order : {"row-major", "column-major"}) {
        for (std::string const operation : {"multiply", "multiply_transposed", "atax"}) {
          print({operation, type, order, shape, seed++, ""});
        }
      }
    }
  }
  for (Shape const& shape : tessera::test::large_shapes()) {
    print({"multiply_transposed", "f32", "row-major", shape, seed++, ""});
    print({"multiply", "f32", "column-major", {shape.cols, shape.rows}, seed++, ""});
  }
}

}  // namespace

int main() {
  try {
    print_all();
  } catch (std::exception const& error) {
    std::cerr << "make_digests: " << error.what() << '\n';
    return 1;
  }
  return std::cout.flush() ? 0 : 1;
}
