// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// A program built with CUDA cannot run without a device, so all tests are skipped then.

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace tessera::test {
namespace {

class NeedsDevice : public ::testing::Environment {
 public:
  void SetUp() override {
    if (std::system("'" TESSERA_BINARY "' info >/dev/null 2>&1") != 0) {
      // ctest searches for the word in brackets; GoogleTest itself prints it only for single tests.
      GTEST_SKIP() << "[  SKIPPED ] `tessera info` finds no usable CUDA device: NOTHING IS TESTED";
    }
  }
};

[[maybe_unused]] auto* const needs_device =
    ::testing::AddGlobalTestEnvironment(new NeedsDevice);  // GoogleTest deletes it

}  // namespace
}  // namespace tessera::test
