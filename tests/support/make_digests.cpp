// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Prints tests/data/digests.txt (gemm: gemm_digests.txt; map: map_digests.txt). A changed line
// needs a new major version.

#include <array>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>

#include "support/digests.hpp"

namespace {

using tessera::test::Digest;
using tessera::test::GemmDigest;
using tessera::test::Shape;

// One shape per regime of the order of summation.
constexpr std::array shapes{
    Shape{1, 1},        // smallest
    Shape{7, 129},      // one more than full rows of lanes
    Shape{129, 513},    // a segment + 1; 17 panels, the last of one line
    Shape{1000, 1000},  // no power of two
    Shape{1797, 64},    // optical digits
    Shape{2049, 1023},  // several segments, 257 panels
    Shape{100003, 3},   // tall, prime
    Shape{3, 100003},   // wide, prime
    Shape{300007, 2},   // more lines than panels of 8
    Shape{40, 16385},   // long lines
    Shape{16400, 200},  // more than 1024 panels
    Shape{24, 140001},  // a tree over 274 segments
};

struct Product {
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t depth;
};
constexpr std::array products{
    Product{1, 1, 1},          // smallest
    Product{1, 1, 300007},     // a dot product in 1172 chains
    Product{7, 129, 65},       // no multiple of a tile
    Product{129, 7, 255},      // one chain, one less than the shortest cut
    Product{128, 128, 512},    // two chains, multiples of every tile
    Product{130, 67, 1025},    // chains of unequal length
    Product{64, 64, 70001},    // 244 chains
    Product{1024, 1024, 300},  // one chain, though deep enough for two
    Product{1023, 1025, 700},  // one element less than 2^20
};

template <class Line>
void print(Line digest) {
  digest.sha256 = tessera::test::reference_sha256(digest);
  std::cout << digest << '\n';
}

void print_head(std::string const& columns) {
  // REUSE-IgnoreStart: the head of the table, not of this file
  std::cout
      << "# SPDX-FileCopyrightText: 2026 The Tessera authors\n"
         "# SPDX-License-Identifier: Apache-2.0\n"
         // REUSE-IgnoreEnd
         "# Made by make_digests from the reference implementation. Never edit, never regenerate\n"
         "# within a major version: these are the bits that Tessera promises.\n"
         "# "
      << columns << " seed sha256\n";
}

void print_gemm() {
  print_head("type rows cols depth");
  std::uint64_t seed = 1;
  for (auto const& [rows, cols, depth] : products) {
    for (std::string const type : {"f32", "f64"}) {
      print(GemmDigest{type, rows, cols, depth, seed++, ""});
    }
  }
}

void print_all() {
  print_head("operation type order rows cols");
  std::uint64_t seed = 1;
  for (Shape const& shape : shapes) {
    for (std::string const type : {"f32", "f64"}) {
      for (std::string const order : {"row-major", "column-major"}) {
        for (std::string const operation : {"multiply", "multiply_transposed", "atax"}) {
          print(Digest{operation, type, order, shape, seed++, ""});
        }
      }
    }
  }
  // Not large_shapes(): a new shape there would change the seeds below.
  for (Shape const& shape : {Shape{33600, 1000}, Shape{8200, 4100}, Shape{65, 524289}}) {
    print(Digest{"multiply_transposed", "f32", "row-major", shape, seed++, ""});
    print(Digest{"multiply", "f32", "column-major", {shape.cols, shape.rows}, seed++, ""});
  }
  seed += 2;  // of a shape that the file does not have
  // Here the lines of both are rows.
  for (Shape const& shape : {Shape{4999, 1}, Shape{1, 4999}, Shape{300007, 1}}) {
    for (std::string const type : {"f32", "f64"}) {
      for (std::string const operation : {"multiply", "multiply_transposed", "atax"}) {
        for (std::string const order : {"row-major", "column-major"}) {
          print(Digest{operation, type, order, shape, seed, ""});
        }
        ++seed;
      }
    }
  }
}

void print_maps() {
  print_head("map type order rows cols");
  std::uint64_t seed = 1;
  for (Shape const& shape : {Shape{1, 1}, Shape{7, 129}, Shape{129, 513}, Shape{1797, 64},
                             Shape{2049, 1023}, Shape{100003, 3}}) {
    for (std::string const type : {"f32", "f64"}) {
      for (std::string const order : {"row-major", "column-major"}) {
        for (std::string const map : {"weights", "minus", "plus", "logistic", "logistic_weights",
                                      "poisson", "poisson_weights"}) {
          print(Digest{map, type, order, shape, seed++, ""});
        }
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 2 && std::string(argv[1]) == "gemm") {
      print_gemm();
    } else if (argc == 2 && std::string(argv[1]) == "map") {
      print_maps();
    } else if (argc == 1) {
      print_all();
    } else {
      std::cerr << "usage: make_digests [gemm|map]\n";
      return 2;
    }
  } catch (std::exception const& error) {
    std::cerr << "make_digests: " << error.what() << '\n';
    return 1;
  }
  return std::cout.flush() ? 0 : 1;
}
