// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/backends/host/launch.hpp>

#include "support/host_matrix.hpp"

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

/// Teams of host kernels and their scratch.
namespace tessera::test {
namespace {

using testing::Each;
using testing::Field;

using Exec = Kokkos::DefaultHostExecutionSpace;

struct Found {
  int calls = 0;
  bool among_others = false;    ///< inside a parallel region
  std::uintptr_t off_line = 0;  ///< offset from the beginning of a cache line
};

struct Look {
  Index scratch;
  Found* found;

  KOKKOS_FUNCTION void operator()(tessera::detail::HostTeam<double> const& team) const {
    Found& mine = found[team.league_rank];
    ++mine.calls;
#if defined(KOKKOS_ENABLE_OPENMP)
    KOKKOS_IF_ON_HOST((mine.among_others = omp_in_parallel() != 0;))
#endif
    mine.off_line = reinterpret_cast<std::uintptr_t>(team.scratch) % 64;
    // Lets address tools check the allocation.
    for (Index k = 0; k < scratch; ++k) team.scratch[k] = 1.0;
  }
};

constexpr Index small = tessera::backends::host::small_bytes;

std::vector<Found> look(Index teams, Index scratch, Index bytes) {
  std::vector<Found> found(static_cast<std::size_t>(teams));
  tessera::detail::for_each_team<double>(Exec(), "look", teams, scratch,
                                         Look{scratch, found.data()}, bytes);
  Exec().fence();
  return found;
}

TEST(HostTeams, RunOnceEachWithScratchOnLinesOfTheCache) {
  constexpr Index most = tessera::detail::most_scratch_on_stack / sizeof(double);
  for (Index const teams : {1, 2, 7, 300}) {
    for (Index const scratch : {Index{0}, Index{1}, Index{100}, most - 8, most, Index{100000}}) {
      for (Index const bytes : {small, small + 1}) {
        SCOPED_TRACE(testing::Message() << teams << ", " << scratch << ", " << bytes);
        auto const found = look(teams, scratch, bytes);
        EXPECT_THAT(found, Each(Field(&Found::calls, 1)));
        EXPECT_THAT(found, Each(Field(&Found::off_line, 0U)));
      }
    }
  }
}

TEST(HostTeams, SingleTeamRunsOnCallersThread) {
#if defined(KOKKOS_ENABLE_OPENMP)
  if (Exec().concurrency() == 1) GTEST_SKIP() << "NOT TESTED: there is one thread";
  for (Index const bytes : {small, small + 1}) {
    EXPECT_FALSE(look(1, 100, bytes)[0].among_others);
    EXPECT_TRUE(look(2, 100, bytes)[0].among_others);
  }
#else
  GTEST_SKIP() << "NOT TESTED: this Kokkos has no backend that starts threads";
#endif
}

}  // namespace
}  // namespace tessera::test
