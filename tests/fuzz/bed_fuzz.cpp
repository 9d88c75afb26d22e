// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "harness.hpp"

// Input: two bytes each for the lengths of the .fam and .bim files, these files, the .bed file.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace tessera;
  fuzz::Bytes bytes(data, size);
  auto const fam = fuzz::take(bytes, 2);
  auto const bim = fuzz::take(bytes, 2);
  auto const put_next = [&](char const* name, std::size_t length) {
    auto const some = std::min(length, bytes.size());
    fuzz::put(name, bytes.first(some));
    bytes = bytes.subspan(some);
  };
  put_next("A.fam", fam);
  put_next("A.bim", bim);
  fuzz::read_matrix(fuzz::put("A.bed", bytes));
  return 0;
}
