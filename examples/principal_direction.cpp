// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// The leading principal direction of a data matrix, by power iteration on the covariance.
//
// A row of A is a sample. With the mean row c, the centred matrix is X = A - 1·cᵀ, and
// XᵀX·v = Aᵀ(A·v) - m·c·(cᵀ·v). So A is never changed or copied: each step is one fused ATAX, which
// reads A once. Rows of 64 entries are drawn as a picture of 8 x 8.

#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <variant>

#include <Kokkos_Core.hpp>

#include <io/matrix_file.hpp>
#include <tessera/tessera.hpp>

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Vector = Kokkos::View<float*, Kokkos::HostSpace>;
using Matrix = Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace>;

double dot(Vector const& x, Vector const& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += static_cast<double>(x(i)) * static_cast<double>(y(i));
  return sum;
}

/// The mean of the rows: Aᵀ·1 / m.
Vector mean_row(Exec const& exec, Matrix const& A) {
  Vector ones("ones", A.extent(0)), mean("mean", A.extent(1));
  Kokkos::deep_copy(ones, 1.0f);
  tessera::multiply_transposed(exec, A, ones, mean);
  exec.fence();
  for (std::size_t j = 0; j < mean.size(); ++j) mean(j) /= static_cast<float>(A.extent(0));
  return mean;
}

/// Power iteration until the direction stands still; returns the variance along it.
double iterate(Exec const& exec, Matrix const& A, Vector const& mean, Vector const& v, int& steps) {
  double const m = static_cast<double>(A.extent(0));
  Vector next("next", v.size());
  tessera::Workspace<Exec> workspace;  // kept: no step allocates
  double variance = 0;
  for (steps = 1; steps <= 1000; ++steps) {
    tessera::atax(exec, A, v, next, {.workspace = &workspace});
    exec.fence();
    double const along_mean = m * dot(mean, v);
    for (std::size_t j = 0; j < v.size(); ++j) {
      next(j) = static_cast<float>(static_cast<double>(next(j)) -
                                   along_mean * static_cast<double>(mean(j)));
    }
    double const length = std::sqrt(dot(next, next));
    double change = 0;
    for (std::size_t j = 0; j < v.size(); ++j) {
      float const entry = static_cast<float>(static_cast<double>(next(j)) / length);
      change = std::fmax(change, std::fabs(static_cast<double>(entry) - static_cast<double>(v(j))));
      v(j) = entry;
    }
    variance = length / (m - 1);
    if (change < 1e-5) break;
  }
  return variance;
}

/// Brightness for the size of an entry, and the sign that stands beside it.
void draw(Vector const& v) {
  constexpr char const* shades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
  float largest = 0;
  for (std::size_t j = 0; j < v.size(); ++j) largest = std::fmax(largest, std::fabs(v(j)));
  std::printf("    more ink                less ink\n");
  for (std::size_t row = 0; row < 8; ++row) {
    for (float const sign : {1.0f, -1.0f}) {
      std::printf("    |");
      for (std::size_t col = 0; col < 8; ++col) {
        float const size = std::fmax(0.0f, sign * v(row * 8 + col) / largest);
        std::printf("%s", shades[static_cast<int>(std::lround(4 * size))]);
      }
      std::printf("|");
    }
    std::printf("\n");
  }
}

void run(char const* path) {
  auto const file = tessera::io::read_matrix(path, tessera::io::ScalarType::f32);
  if (!std::holds_alternative<Matrix>(file)) throw std::runtime_error("rows have to be contiguous");
  auto const A = std::get<Matrix>(file);

  Exec const exec;
  Vector const mean = mean_row(exec, A);
  Vector const v("v", A.extent(1));
  for (std::size_t j = 0; j < v.size(); ++j) v(j) = 1.0f + 0.01f * static_cast<float>(j);
  int steps = 0;
  double const variance = iterate(exec, A, mean, v, steps);

  double total = 0;  // of the variance in all directions
  for (std::size_t i = 0; i < A.extent(0); ++i) {
    for (std::size_t j = 0; j < A.extent(1); ++j) {
      double const x = static_cast<double>(A(i, j)) - static_cast<double>(mean(j));
      total += x * x;
    }
  }
  total /= static_cast<double>(A.extent(0) - 1);
  std::printf("  leading principal direction of the centred rows, after %d ATAX steps;\n", steps);
  std::printf("  it holds %.1f %% of the variance\n\n", 100 * variance / total);
  if (v.size() == 64) draw(v);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: principal_direction MATRIX.npy\n");
    return 2;
  }
  Kokkos::ScopeGuard const kokkos(Kokkos::InitializationSettings().set_disable_warnings(true));
  try {
    run(argv[1]);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "principal_direction: %s\n", error.what());
    return 1;
  }
  return 0;
}
