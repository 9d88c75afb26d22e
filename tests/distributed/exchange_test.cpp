// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <tessera/distributed/detail/shares.hpp>
#include <tessera/distributed/detail/sum_in_memory.hpp>
#include <tessera/distributed/detail/sum_of_roots.hpp>

#include "distributed/world.hpp"
#include "support/data.hpp"
#include "support/same_bits.hpp"

/// Equal bits for every way of sending.
namespace tessera::test {
namespace {

namespace parts = distributed::detail;
using Exec = Kokkos::DefaultExecutionSpace;

std::vector<std::vector<int>> levels_of(std::int64_t units) {
  std::vector<std::vector<int>> levels;
  for (int r = 0; r < ranks(); ++r) {
    parts::Units const all{units, 1};
    auto& its = levels.emplace_back();
    for (auto const& subtree : parts::share_of(all, parts::even_rows(all, r, ranks())).whole) {
      its.push_back(subtree.level);
    }
  }
  return levels;
}

TEST(Exchanges, AddInOneOrder) {
  Exec const exec;
  distributed::Communicator const comm(MPI_COMM_WORLD);
  parts::Exchanges<Exec> exchanges(comm, exec);
  for (std::int64_t const units : {1, 2, 7, 64, 1001}) {
    for (std::int64_t const length : {1, 3, 1000}) {
      SCOPED_TRACE(testing::Message() << units << " units, " << length << " columns");
      auto const levels = levels_of(units);
      auto const own = levels[static_cast<std::size_t>(rank())].size();
      auto const count = own * static_cast<std::size_t>(length);
      auto const roots = real_numbers<float>(count, 100 * static_cast<std::uint64_t>(rank()) + 1);
      parts::SumOfRoots<float> on_host(comm, levels, length);
      std::ranges::copy(roots, on_host.roots());
      std::vector<float> const expected = on_host();

      std::vector<parts::SendBy> all{parts::SendBy::host_mpi};
      if (parts::mpi_of<Exec>(comm) == parts::SendBy::mpi) all.push_back(parts::SendBy::mpi);
      if (exchanges.nccl.is_there()) all.push_back(parts::SendBy::nccl);
      for (auto const by : all) {
        parts::SumInMemory<Exec, float> sum(exec, comm, exchanges, by, levels, length);
        using Entries =
            Kokkos::View<float*, Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
        Kokkos::deep_copy(
            Entries(sum.roots(), count),
            Kokkos::View<float const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                roots.data(), count));
        std::vector<float> got(static_cast<std::size_t>(length));
        Kokkos::View<float*, Exec::memory_space> const sums("sums", got.size());
        sum({sums.data(), 1});
        exec.fence();
        Kokkos::deep_copy(
            Kokkos::View<float*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                got.data(), got.size()),
            sums);
        EXPECT_THAT(got, same_bits_as(expected));
      }
    }
  }
}

TEST(Exchanges, AreChosenByTheEnvironment) {
  auto const takes = [] { return distributed::Communicator(MPI_COMM_WORLD).takes_device_memory(); };
  char const* const before = std::getenv("TESSERA_CUDA_AWARE_MPI");
  std::string const kept = before == nullptr ? "" : before;
  setenv("TESSERA_CUDA_AWARE_MPI", "on", 1);
  EXPECT_TRUE(takes());
  setenv("TESSERA_CUDA_AWARE_MPI", rank() + 1 == ranks() ? "off" : "on", 1);
  EXPECT_FALSE(takes());
  setenv("TESSERA_CUDA_AWARE_MPI", rank() == 0 ? "perhaps" : "on", 1);
  EXPECT_THROW(takes(), DistributedError);
  if (before == nullptr) {
    unsetenv("TESSERA_CUDA_AWARE_MPI");
  } else {
    setenv("TESSERA_CUDA_AWARE_MPI", kept.c_str(), 1);
  }
}

}  // namespace
}  // namespace tessera::test
