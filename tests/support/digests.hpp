// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "support/reference.hpp"
#include "support/shapes.hpp"

/// The committed digests: results of the reference that every backend and compiler must match.
namespace tessera::test {

/// One line of tests/data/digests.txt, or of map_digests.txt.
struct Digest {
  std::string
      operation;      ///< multiply, multiply_transposed or atax; or the map between its products
  std::string type;   ///< f32 or f64
  std::string order;  ///< row-major or column-major
  Shape shape;
  std::uint64_t seed;
  std::string sha256;  ///< of the result's raw little-endian elements
};

std::ostream& operator<<(std::ostream& out, Digest const& digest);

/// Reads a file of digests. Throws std::runtime_error if it is missing, damaged or empty.
std::vector<Digest> read_digests(std::filesystem::path const& file);

/// Length of the input vector of an operation.
std::int64_t input_length(std::string const& operation, Shape const& shape);

/// The matrix of a digest's problem: contiguous lines.
template <class T>
std::vector<T> digest_matrix(Digest const& digest);

/// The vector of a digest's problem.
template <class T>
std::vector<T> digest_vector(Digest const& digest);

/// The map's vector, with numbers of moderate size.
template <class T>
std::vector<T> digest_map_vector(Digest const& digest);

/// γ of the map `plus`.
inline constexpr double digest_gamma = -0.375;

/// SHA-256 of the reference's result for `digest`. Throws std::runtime_error for an unknown type,
/// order or operation.
std::string reference_sha256(Digest const& digest);

/// One line of tests/data/gemm_digests.txt: a product of row-major factors of random numbers.
struct GemmDigest {
  std::string type;  ///< f32 or f64
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t depth;
  std::uint64_t seed;
  std::string sha256;  ///< of C's raw little-endian elements, row by row
};

std::ostream& operator<<(std::ostream& out, GemmDigest const& digest);

/// As read_digests.
std::vector<GemmDigest> read_gemm_digests(std::filesystem::path const& file);

/// The factors of a digest's product, row by row.
template <class T>
std::vector<T> digest_a(GemmDigest const& digest);
template <class T>
std::vector<T> digest_b(GemmDigest const& digest);

/// As for Digest.
std::string reference_sha256(GemmDigest const& digest);

}  // namespace tessera::test
