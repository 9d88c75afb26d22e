// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include "harness.hpp"

// Fuzzes the handling of the separate process's answer; a crash of HDF5's library there is the
// file's error.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  tessera::fuzz::read_matrix(tessera::fuzz::put("A.h5", {data, size}) + ":/A");
  return 0;
}
