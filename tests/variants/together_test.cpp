// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/published/gemm/table.hpp>
#include <bench/published/gemv/table.hpp>
#include <bench/published/transpose.hpp>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

namespace tessera::test {
namespace {

TEST(Variants, OfAllOperationsMeetInOneProgram) {
  using Exec = Kokkos::DefaultExecutionSpace;
  using A = Kokkos::View<float const**, Kokkos::LayoutLeft, Exec::memory_space>;
  using Input = Kokkos::View<float const*, Exec::memory_space>;
  using Output = Kokkos::View<float*, Exec::memory_space>;
  EXPECT_EQ((published::gemv::table<Exec, A, Input, Output>().size()), 8);
  EXPECT_EQ((published::transpose_variants<Exec, float>().size()), 11);
  using C = Kokkos::View<float**, Kokkos::LayoutRight, Exec::memory_space>;
  EXPECT_GE((published::gemm::table<Exec, A, A, C>().size()), 3);
}

}  // namespace
}  // namespace tessera::test
