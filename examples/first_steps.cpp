// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>

#include <Kokkos_Core.hpp>

#include <tessera/tessera.hpp>

int main() {
  Kokkos::ScopeGuard const kokkos;
  using Exec = Kokkos::DefaultHostExecutionSpace;
  Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace> A("A", 100000, 300);
  Kokkos::View<float*, Kokkos::HostSpace> v("v", 300), C("C", 300);
  Kokkos::deep_copy(A, 0.5f);
  Kokkos::deep_copy(v, 2.0f);
  tessera::atax(Exec(), A, v, C);  // C = Aᵀ·(A·v), one pass over A
  Kokkos::fence();                 // calls are asynchronous

  std::printf("C(0) = %.0f\n", static_cast<double>(C(0)));  // 100000 · 0.5 · (300 · 0.5 · 2)

  // In a loop, keep a workspace: after the first call no call allocates memory.
  tessera::Workspace<Exec> workspace;
  for (int i = 0; i < 3; ++i) tessera::atax(Exec(), A, v, C, {.workspace = &workspace});
  Kokkos::fence();
}
