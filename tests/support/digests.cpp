// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/digests.hpp"

#include <cstddef>
#include <fstream>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "support/data.hpp"
#include "support/sha256.hpp"

namespace tessera::test {
namespace {

std::runtime_error unknown(std::string const& what, std::string const& word) {
  return std::runtime_error("digests: unknown " + what + " '" + word + "'");
}

template <class T>
std::vector<T> reference_result(Digest const& digest) {
  bool const row_major = digest.order == "row-major";
  if (!row_major && digest.order != "column-major") throw unknown("order", digest.order);

  auto const data = digest_matrix<T>(digest);
  auto const input = digest_vector<T>(digest);
  auto const [rows, cols] = digest.shape;
  reference::Matrix<T> const A{
      data.data(), rows, cols, row_major ? cols : rows,
      row_major ? reference::Order::row_major : reference::Order::column_major};
  if (digest.operation == "multiply") return reference::multiply(A, input);
  if (digest.operation == "multiply_transposed") return reference::multiply_transposed(A, input);
  if (digest.operation == "atax") return reference::atax(A, input);
  return reference::multiply_transposed(
      A, reference::map(digest.operation, reference::multiply(A, input),
                        digest_map_vector<T>(digest), T(digest_gamma)));
}

template <class T>
std::vector<T> reference_result(GemmDigest const& d) {
  return reference::gemm(digest_a<T>(d), digest_b<T>(d), d.rows, d.cols, d.depth);
}

std::istream& operator>>(std::istream& in, Digest& d) {
  return in >> d.operation >> d.type >> d.order >> d.shape.rows >> d.shape.cols >> d.seed >>
         d.sha256;
}
std::istream& operator>>(std::istream& in, GemmDigest& d) {
  return in >> d.type >> d.rows >> d.cols >> d.depth >> d.seed >> d.sha256;
}

template <class Line>
std::vector<Line> read_lines(std::filesystem::path const& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  std::vector<Line> digests;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    Line d{};
    if (!(words >> d) || d.sha256.size() != 64) {
      throw std::runtime_error(file.string() + ": damaged line: " + line);
    }
    digests.push_back(d);
  }
  if (digests.empty()) throw std::runtime_error(file.string() + ": no digests");
  return digests;
}

template <class Line>
std::string sha256_of(Line const& digest) {
  if (digest.type == "f32") return sha256(reference_result<float>(digest));
  if (digest.type == "f64") return sha256(reference_result<double>(digest));
  throw unknown("type", digest.type);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, Digest const& digest) {
  return out << digest.operation << ' ' << digest.type << ' ' << digest.order << ' '
             << digest.shape.rows << ' ' << digest.shape.cols << ' ' << digest.seed << ' '
             << digest.sha256;
}

std::ostream& operator<<(std::ostream& out, GemmDigest const& digest) {
  return out << digest.type << ' ' << digest.rows << ' ' << digest.cols << ' ' << digest.depth
             << ' ' << digest.seed << ' ' << digest.sha256;
}

std::vector<Digest> read_digests(std::filesystem::path const& file) {
  return read_lines<Digest>(file);
}
std::vector<GemmDigest> read_gemm_digests(std::filesystem::path const& file) {
  return read_lines<GemmDigest>(file);
}

std::int64_t input_length(std::string const& operation, Shape const& shape) {
  return operation == "multiply_transposed" ? shape.rows : shape.cols;
}

template <class T>
std::vector<T> digest_matrix(Digest const& digest) {
  return real_numbers<T>(static_cast<std::size_t>(digest.shape.size()), digest.seed);
}

template <class T>
std::vector<T> digest_vector(Digest const& digest) {
  auto const length = static_cast<std::size_t>(input_length(digest.operation, digest.shape));
  auto values = real_numbers<T>(length, vector_seed(digest.seed));
  bool const has_map = digest.operation != "multiply" &&
                       digest.operation != "multiply_transposed" && digest.operation != "atax";
  // Keeps the exponentials finite and above 0.
  for (T& value : values) value *= has_map ? T(0x1p-13) : T(1);
  return values;
}

template <class T>
std::vector<T> digest_map_vector(Digest const& digest) {
  auto values =
      real_numbers<T>(static_cast<std::size_t>(digest.shape.rows), vector_seed(digest.seed + 1));
  for (T& value : values) value *= T(0x1p-5);
  return values;
}

template <class T>
std::vector<T> digest_a(GemmDigest const& digest) {
  return real_numbers<T>(static_cast<std::size_t>(digest.rows * digest.depth), digest.seed);
}

template <class T>
std::vector<T> digest_b(GemmDigest const& digest) {
  return real_numbers<T>(static_cast<std::size_t>(digest.depth * digest.cols),
                         vector_seed(digest.seed));
}

std::string reference_sha256(Digest const& digest) {
  return sha256_of(digest);
}
std::string reference_sha256(GemmDigest const& digest) {
  return sha256_of(digest);
}

template std::vector<float> digest_matrix(Digest const&);
template std::vector<double> digest_matrix(Digest const&);
template std::vector<float> digest_vector(Digest const&);
template std::vector<double> digest_vector(Digest const&);
template std::vector<float> digest_map_vector(Digest const&);
template std::vector<double> digest_map_vector(Digest const&);
template std::vector<float> digest_a(GemmDigest const&);
template std::vector<double> digest_a(GemmDigest const&);
template std::vector<float> digest_b(GemmDigest const&);
template std::vector<double> digest_b(GemmDigest const&);

}  // namespace tessera::test
