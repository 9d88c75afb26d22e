// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>

#include "harness.hpp"

// Input: a byte of format and type, the file.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace tessera;
  fuzz::Bytes bytes(data, size);
  auto const kind = fuzz::take(bytes, 1);
  constexpr std::array names{"v.npy", "v.bin", "v.ex3"};
  fuzz::read_vector(fuzz::put(names[kind / 2 % names.size()], bytes),
                    {.type = kind % 2 != 0 ? io::ScalarType::f64 : io::ScalarType::f32});
  return 0;
}
