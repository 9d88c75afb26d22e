// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// The main() of tests with Kokkos.

#include <cstdio>
#include <cstdlib>
#include <string>

#include <Kokkos_Core.hpp>
#include <gmock/gmock.h>

#include <tessera/backends/devices.hpp>
#include <tessera/backends/host/avx512.hpp>

namespace {

/// SKIP_RETURN_CODE of ctest.
constexpr int skipped = 77;

int skip_all(std::string const& reason) {
  bool const is_failure = std::getenv("TESSERA_TEST_NEEDS_DEVICE") != nullptr;
  std::fprintf(stderr, "!!! %s: NO TEST OF THIS PROGRAM IS RUN: %s\n",
               is_failure ? "FAILED" : "SKIPPED", reason.c_str());
  return is_failure ? 1 : skipped;
}

/// ctest's second run would repeat the first.
bool does_without_avx512_anyway() {
  return std::getenv("TESSERA_TEST_WITHOUT_AVX512") != nullptr &&
         !tessera::backends::host::avx512::supported();
}

std::string why_no_device() {
  auto const survey = tessera::backends::survey_devices();
  if (!survey) return {};
  if (!survey->error.empty()) return "CUDA: " + survey->error;
  return survey->devices.empty() ? "CUDA: there is no device" : "";
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();  // ctest may list tests without a device
  if (does_without_avx512_anyway()) {
    std::fprintf(stderr, "!!! SKIPPED: the other tests do without AVX-512 here, too\n");
    return skipped;
  }
  std::string const reason = why_no_device();
  if (!reason.empty()) return skip_all(reason);
  Kokkos::ScopeGuard const kokkos(Kokkos::InitializationSettings().set_disable_warnings(true));
  return RUN_ALL_TESTS();
}
