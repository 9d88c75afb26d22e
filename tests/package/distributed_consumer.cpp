// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// A user's program of the component Distributed.

#include <cstdio>
#include <mpi.h>

#include <Kokkos_Core.hpp>

#include <tessera/distributed.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool is_right = false;
  {
    Kokkos::ScopeGuard const kokkos;
    using Exec = Kokkos::DefaultExecutionSpace;
    tessera::Distributed<Exec> const world(MPI_COMM_WORLD);
    auto const rows = world.rows_of(100, 3);
    Kokkos::View<double**, Kokkos::LayoutRight, Exec> const A(
        "A", static_cast<std::size_t>(rows.count), 3);
    Kokkos::View<double*, Exec> const v("v", 3);
    Kokkos::View<double*, Exec> const C("C", 3);
    Kokkos::deep_copy(A, 1);
    Kokkos::deep_copy(v, 1);
    world.atax(A, v, C);
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, C);
    std::printf("C(0) = %g, expected 300\n", host(0));
    is_right = host(0) == 300;
  }
  MPI_Finalize();
  return is_right ? 0 : 1;
}
