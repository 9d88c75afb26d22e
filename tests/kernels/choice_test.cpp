// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/backends/backends.hpp>
#include <tessera/kernels.hpp>

/// Kernels that run for a requested kind.
namespace tessera::test {
namespace {

struct Elsewhere {
  using execution_space = Elsewhere;
  using memory_space = Kokkos::HostSpace;
  static char const* name() { return "Elsewhere"; }
};

TEST(ChoiceOfKernels, IsPortableWhereABackendHasNone) {
  EXPECT_EQ(kernels_used<Elsewhere>(Kernels::automatic), Kernels::portable);
  EXPECT_EQ(kernels_used<Elsewhere>(Kernels::portable), Kernels::portable);
}

TEST(ChoiceOfKernels, RefusesAcceleratedOnesWhereABackendHasNone) {
  EXPECT_THAT([] { kernels_used<Elsewhere>(Kernels::accelerated); },
              testing::ThrowsMessage<std::invalid_argument>(
                  "the backend Elsewhere has no accelerated kernels: choose automatic or portable "
                  "ones"));
}

TEST(ChoiceOfKernels, IsTheBackendsOwnUnlessPortableOnesAreWanted) {
  backends::for_each_backend([]<class Exec>(std::type_identity<Exec>) {
    EXPECT_EQ(kernels_used<Exec>(Kernels::automatic), Kernels::accelerated);
    EXPECT_EQ(kernels_used<Exec>(Kernels::accelerated), Kernels::accelerated);
    EXPECT_EQ(kernels_used<Exec>(Kernels::portable), Kernels::portable);
  });
}

}  // namespace
}  // namespace tessera::test
