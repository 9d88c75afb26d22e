// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>

#include <Kokkos_Core.hpp>

#include <tessera/tessera.hpp>

int main() {
  Kokkos::ScopeGuard const kokkos;
  Kokkos::DefaultHostExecutionSpace const exec;
  Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace> A("A", 100000, 300);
  Kokkos::View<float*, Kokkos::HostSpace> v("v", 300), C("C", 300);
  Kokkos::deep_copy(A, 0.5f);
  Kokkos::deep_copy(v, 2.0f);

  tessera::Workspace<Kokkos::DefaultHostExecutionSpace> workspace;  // kept: no call allocates
  tessera::atax(exec, A, v, C, {.workspace = &workspace});          // C = Aᵀ·(A·v), A read once
  exec.fence();
  std::printf("C(0) = %.0f\n", static_cast<double>(C(0)));  // 100000 · 0.5 · (300 · 0.5 · 2)
}
