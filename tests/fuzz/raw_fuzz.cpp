// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include "harness.hpp"

// Input: a byte of type and order, two or eight bytes each of rows and columns, the file.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace tessera;
  fuzz::Bytes bytes(data, size);
  auto const kind = fuzz::take(bytes, 1);
  std::size_t const width = (kind & 4U) != 0 ? 8 : 2;
  auto const rows = fuzz::take(bytes, width);
  auto const cols = fuzz::take(bytes, width);
  fuzz::read_matrix(fuzz::put("A.bin", bytes),
                    {.type = (kind & 1U) != 0 ? io::ScalarType::f64 : io::ScalarType::f32,
                     .rows = rows,
                     .cols = cols,
                     .layout = (kind & 2U) != 0 ? io::Layout::left : io::Layout::right});
  return 0;
}
