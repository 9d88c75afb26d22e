// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/device_check.hpp"

namespace tessera::test {

std::string why_no_device() {
  return {};
}

}  // namespace tessera::test
