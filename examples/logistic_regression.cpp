// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstdio>

#include <Kokkos_Core.hpp>

#include <tessera/tessera.hpp>

// Gradient descent on the logistic loss: each step reads A once.
int main() {
  Kokkos::ScopeGuard const kokkos;
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Exec const exec;
  constexpr int rows = 20000;
  constexpr int cols = 50;
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> A("A", rows, cols);
  Kokkos::View<double*, Kokkos::HostSpace> labels("labels", rows), x("x", cols), g("g", cols);
  for (int i = 0; i < rows; ++i) {
    double side = 0;
    for (int j = 0; j < cols; ++j) {
      A(i, j) = std::sin(1.0 + i * 7.0 + j * 13.0 + i * j * 0.37);
      side += j % 2 == 0 ? A(i, j) : -A(i, j);
    }
    labels(i) = side > 0 ? 1 : 0;
  }

  tessera::Workspace<Exec> workspace;
  double first = 0;
  for (int step = 0; step < 100; ++step) {
    tessera::atax(exec, A, x, g,
                  {.workspace = &workspace,
                   .map = tessera::maps::logistic(labels),
                   .alpha = 1.0 / rows});  // g = Aᵀ·(σ(A·x) - labels)/rows
    double const norm = std::sqrt(tessera::sum_of_squares(exec, g));
    if (step == 0) first = norm;
    if (step % 25 == 0) std::printf("step %2d: the gradient is %.3e\n", step, norm);
    tessera::axpby(exec, -2.0, g, 1.0, x);  // x = x - 2·g
  }
  return std::sqrt(tessera::sum_of_squares(exec, g)) < 0.2 * first ? 0 : 1;
}
