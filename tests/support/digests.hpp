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

/// Results of the reference that every backend must match.
namespace tessera::test {

struct Digest {
  std::string operation;  ///< or the map between the products
  std::string type;
  std::string order;
  Shape shape;
  std::uint64_t seed;
  std::string sha256;  ///< of raw little-endian elements
};

std::ostream& operator<<(std::ostream& out, Digest const& digest);

std::vector<Digest> read_digests(std::filesystem::path const& file);

std::int64_t input_length(std::string const& operation, Shape const& shape);

template <class T>
std::vector<T> digest_matrix(Digest const& digest);

template <class T>
std::vector<T> digest_vector(Digest const& digest);

template <class T>
std::vector<T> digest_map_vector(Digest const& digest);

inline constexpr double digest_gamma = -0.375;

std::string reference_sha256(Digest const& digest);

struct GemmDigest {
  std::string type;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t depth;
  std::uint64_t seed;
  std::string sha256;
};

std::ostream& operator<<(std::ostream& out, GemmDigest const& digest);

std::vector<GemmDigest> read_gemm_digests(std::filesystem::path const& file);

template <class T>
std::vector<T> digest_a(GemmDigest const& digest);
template <class T>
std::vector<T> digest_b(GemmDigest const& digest);

std::string reference_sha256(GemmDigest const& digest);

}  // namespace tessera::test
