// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include "harness.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  tessera::fuzz::read_matrix(tessera::fuzz::put("A.mtx", {data, size}));
  return 0;
}
