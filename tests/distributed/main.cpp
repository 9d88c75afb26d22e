// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// The first rank that fails reports.

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  testing::InitGoogleMock(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) listeners.Release(listeners.default_result_printer());
  int status = 0;
  {
    Kokkos::ScopeGuard const kokkos(Kokkos::InitializationSettings().set_disable_warnings(true));
    status = RUN_ALL_TESTS();
  }
  int worst = 0;
  MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (worst != 0 && status != 0) std::fprintf(stderr, "rank %d: tests have failed\n", rank);
  MPI_Finalize();
  return worst;
}
