// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include "harness.hpp"

// HDF5's library examines the file in a process apart, as it always does: what it dies of is an
// error of the file. What is fuzzed here is all that is done with its answer.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  tessera::fuzz::read_matrix(tessera::fuzz::put("A.h5", {data, size}) + ":/A");
  return 0;
}
