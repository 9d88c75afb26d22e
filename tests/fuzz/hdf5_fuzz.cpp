// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include "harness.hpp"

// The library's crash in a separate process is an error of the file; this fuzzes the handling of
// its answer.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  tessera::fuzz::read_matrix(tessera::fuzz::put("A.h5", {data, size}) + ":/A");
  return 0;
}
