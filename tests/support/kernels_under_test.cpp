// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "support/runner.hpp"

namespace tessera::test {

Kernels kernels_under_test() {
  char const* const name = std::getenv("TESSERA_TEST_KERNELS");
  if (name == nullptr || std::string(name) == "automatic") return Kernels::automatic;
  if (std::string(name) == "portable") return Kernels::portable;
  throw std::invalid_argument("TESSERA_TEST_KERNELS is automatic or portable, not " +
                              std::string(name));
}

}  // namespace tessera::test
