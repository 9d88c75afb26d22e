// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

/// A reference in higher precision.
namespace tessera::test {

using LongRows = std::vector<std::vector<long double>>;

inline std::vector<long double> solve_by_householder(LongRows A, std::vector<long double> b) {
  std::size_t const rows = A.size();
  std::size_t const cols = A[0].size();
  for (std::size_t k = 0; k < cols; ++k) {
    long double norm = 0;
    for (std::size_t i = k; i < rows; ++i) norm += A[i][k] * A[i][k];
    norm = std::sqrt(norm);
    std::vector<long double> u(rows);
    for (std::size_t i = k; i < rows; ++i) u[i] = A[i][k];
    u[k] += u[k] < 0 ? -norm : norm;
    long double square = 0;
    for (std::size_t i = k; i < rows; ++i) square += u[i] * u[i];
    if (square == 0) continue;
    auto const reflect = [&](auto const& entry) {
      long double dot = 0;
      for (std::size_t i = k; i < rows; ++i) dot += u[i] * entry(i);
      for (std::size_t i = k; i < rows; ++i) entry(i) -= 2 * dot / square * u[i];
    };
    for (std::size_t j = k; j < cols; ++j) {
      reflect([&](std::size_t i) -> long double& { return A[i][j]; });
    }
    reflect([&](std::size_t i) -> long double& { return b[i]; });
  }
  std::vector<long double> x(cols);
  for (std::size_t k = cols; k-- > 0;) {
    long double sum = b[k];
    for (std::size_t j = k + 1; j < cols; ++j) sum -= A[k][j] * x[j];
    x[k] = sum / A[k][k];
  }
  return x;
}

}  // namespace tessera::test
