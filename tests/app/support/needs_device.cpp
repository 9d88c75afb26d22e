// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Skips all tests of a CUDA program without a device.

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace tessera::test {
namespace {

class NeedsDevice : public ::testing::Environment {
 public:
  void SetUp() override {
    if (std::system("'" TESSERA_BINARY "' info >/dev/null 2>&1") != 0) {
      // ctest searches for the bracketed word.
      GTEST_SKIP() << "[  SKIPPED ] `tessera info` finds no usable CUDA device: NOTHING IS TESTED";
    }
  }
};

[[maybe_unused]] auto* const needs_device = ::testing::AddGlobalTestEnvironment(new NeedsDevice);

}  // namespace
}  // namespace tessera::test
