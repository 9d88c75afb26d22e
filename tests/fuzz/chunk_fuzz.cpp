// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <io/errors.hpp>
#include <io/hdf5_chunk.hpp>

#include "harness.hpp"

// HDF5 chunks without its library. Input: a byte of type and number of filters, their order,
// skipped filters, two bytes each of rows - 1 and columns - 1, the chunk.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace tessera;
  fuzz::Bytes bytes(data, size);
  io::Hdf5Facts facts{};
  auto const kind = fuzz::take(bytes, 1);
  facts.type = kind % 2 != 0 ? io::ElementType::f64 : io::ElementType::f32;
  facts.filters = kind / 2 % 4;
  facts.filter = {io::Hdf5Filter::deflate, io::Hdf5Filter::shuffle, io::Hdf5Filter::fletcher32};
  for (auto turns = fuzz::take(bytes, 1) % 6; turns > 0; --turns) {
    std::next_permutation(facts.filter.begin(), facts.filter.end());
  }
  auto const filters_left = fuzz::take(bytes, 1);
  facts.chunk_shape = {fuzz::take(bytes, 2) + 1, fuzz::take(bytes, 2) + 1};
  std::vector<std::byte> stored(bytes.size());
  std::ranges::transform(bytes, stored.begin(), [](std::uint8_t byte) { return std::byte{byte}; });
  try {
    auto const chunk = io::unpack_chunk(stored, facts, filters_left, "A.h5:/A");
    if (chunk.size() != io::chunk_bytes(facts)) std::abort();
  } catch (io::FileError const&) {
    return 0;
  }
  return 0;
}
