// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// A = [1 2; 3 4; 5 6], v = [1 -2] gives C = [-53 -68].

#include <cstdio>

#include <Kokkos_Core.hpp>

#include <tessera/atax.hpp>
#include <tessera/version.hpp>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> const a("a", 3, 2);
  Kokkos::View<double*, Kokkos::HostSpace> const v("v", 2);
  Kokkos::View<double*, Kokkos::HostSpace> const c("c", 2);
  for (int i = 0; i < 6; ++i) a(i / 2, i % 2) = i + 1;
  v(0) = 1;
  v(1) = -2;
  tessera::atax(Exec(), a, v, c);
  Kokkos::fence();
  std::printf("tessera %s: C = [%g %g], expected [-53 -68]\n", tessera::version.data(), c(0), c(1));
  return c(0) == -53 && c(1) == -68 ? 0 : 1;
}
