// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// What a user of the package writes: C = A^T (A v) of a small matrix of whole numbers, where every
// correct result is exact.

#include <cstdio>

#include <Kokkos_Core.hpp>

#include <tessera/atax.hpp>
#include <tessera/version.hpp>

namespace {

// A = [1 2; 3 4; 5 6], v = [1 -2]  ->  B = [-3 -5 -7], C = [-53 -68].
bool atax_is_right() {
  using Exec = Kokkos::DefaultExecutionSpace;
  Kokkos::View<double**, Kokkos::LayoutRight, Exec> const a("a", 3, 2);
  Kokkos::View<double*, Exec> const v("v", 2);
  Kokkos::View<double*, Exec> const c("c", 2);
  auto const host_a = Kokkos::create_mirror_view(a);
  auto const host_v = Kokkos::create_mirror_view(v);
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 2; ++column) {
      host_a(row, column) = 2 * row + column + 1;
    }
  }
  host_v(0) = 1;
  host_v(1) = -2;
  Kokkos::deep_copy(a, host_a);
  Kokkos::deep_copy(v, host_v);

  Exec const exec{};
  tessera::atax(exec, a, v, c);
  exec.fence();

  auto const host_c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, c);
  std::printf("C = [%g %g], expected [-53 -68]\n", host_c(0), host_c(1));
  return host_c(0) == -53 && host_c(1) == -68;
}

}  // namespace

int main() {
  Kokkos::ScopeGuard const kokkos;
  return !tessera::version.empty() && atax_is_right() ? 0 : 1;
}
