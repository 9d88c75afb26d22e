// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <mpi.h>
#include <utility>

#include <gmock/gmock.h>

#include <tessera/atax.hpp>
#include <tessera/distributed.hpp>

#include "distributed/world.hpp"
#include "support/data.hpp"
#include "support/same_bits.hpp"

/// Products on several GPUs in a CUDA graph.
namespace tessera::test {
namespace {

void require(cudaError_t error) {
  ASSERT_EQ(error, cudaSuccess) << cudaGetErrorString(error);
}

TEST(Graphs, OfAProductAreLaunchedByAllRanks) {
  using Exec = Kokkos::Cuda;
  cudaStream_t stream{};
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (auto const& [m, n] : {std::pair<std::int64_t, std::int64_t>{4096, 700}, {1000, 33}}) {
    Exec const exec(stream);
    Distributed<Exec> const world(MPI_COMM_WORLD, exec);
    if (world.exchange() != "nccl")
      GTEST_SKIP() << "SKIPPED: ranks exchange by " << world.exchange();
    auto const values = [](std::int64_t count, std::uint64_t seed) {
      return real_numbers<float>(static_cast<std::size_t>(count), seed);
    };
    auto const A = matrix_of<Exec, float, Kokkos::LayoutRight>(values(m * n, 1), m, n);
    auto const rows = world.rows_of(m, n);
    auto const mine = rows_of(A, rows);
    auto const v = to_device<Exec>(values(n, 2));
    auto const b = to_device<Exec>(values(m, 3));
    auto const c = to_device<Exec>(values(n, 4));
    auto const its_b = Kokkos::subview(b, Kokkos::pair(rows.first, rows.end()));
    Workspace<Exec> workspace;
    auto const product = [&] {
      world.atax(mine, v, its_b, c, {.workspace = &workspace});
      world.share_rows(b, rows);
    };
    product();
    exec.fence();
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    product();
    cudaGraph_t graph{};
    require(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t launched{};
    require(cudaGraphInstantiate(&launched, graph, 0));
    for (std::uint64_t seed = 5; seed < 8; ++seed) {
      Kokkos::deep_copy(exec, v, to_device<Exec>(values(n, seed)));
      require(cudaGraphLaunch(launched, stream));
      exec.fence();
      auto const expected_b = to_device<Exec>(values(m, 3));
      auto const expected_c = to_device<Exec>(values(n, 4));
      atax(exec, A, v, expected_b, expected_c);
      exec.fence();
      EXPECT_THAT(to_vector(b), same_bits_as(to_vector(expected_b)));
      EXPECT_THAT(to_vector(c), same_bits_as(to_vector(expected_c)));
    }
    require(cudaGraphExecDestroy(launched));
    require(cudaGraphDestroy(graph));
  }
  require(cudaStreamDestroy(stream));
}

}  // namespace
}  // namespace tessera::test
