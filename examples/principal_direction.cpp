// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Principal directions of a data matrix, one sample per row; 64 entries are drawn as 8 x 8. A is
// neither centred nor copied; each iteration reads it once.

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <variant>

#include <Kokkos_Core.hpp>

#include <io/matrix_file.hpp>
#include <tessera/solve.hpp>

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Vector = Kokkos::View<float*, Kokkos::HostSpace>;
using Matrix = Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// Size as brightness, with sign.
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

  tessera::solve::MatrixOperator const op(Exec(), A);
  auto const found = tessera::solve::pca(op, 3);
  if (found.svd.stop != tessera::solve::Stop::converged) {
    throw std::runtime_error(tessera::solve::sentence(found.svd.stop));
  }
  auto const percent = [&](std::size_t i) { return 100 * found.explained_variance_ratio.at(i); };
  std::printf(
      "  the leading direction of the centred rows holds %.1f %% of the variance, the next two\n",
      percent(0));
  std::printf("  %.1f %% and %.1f %%, after %d reads of the matrix\n\n", percent(1), percent(2),
              static_cast<int>(found.svd.reads));
  Vector const v = Kokkos::subview(found.svd.VT, 0, Kokkos::ALL);
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
