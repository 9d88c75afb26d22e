// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

/// Checks the number of threads that ctest runs the digests with.
namespace tessera::test {
namespace {

TEST(Threads, AreAsManyAsCtestAsksFor) {
  char const* const expected = std::getenv("TESSERA_TEST_THREADS");
  if (expected == nullptr) GTEST_SKIP() << "TESSERA_TEST_THREADS is not set";
  EXPECT_EQ(std::to_string(Kokkos::DefaultHostExecutionSpace().concurrency()), expected);
}

}  // namespace
}  // namespace tessera::test
