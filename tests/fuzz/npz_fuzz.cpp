// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "harness.hpp"

namespace tessera::fuzz {
namespace {

void add(std::vector<std::uint8_t>& to, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    to.push_back(static_cast<std::uint8_t>(value));
    value >>= 8U;
  }
}

std::vector<std::uint8_t> zip(Bytes packed, bool deflated, std::uint64_t bytes) {
  std::string const name = "A.npy";
  auto const add_common = [&](std::vector<std::uint8_t>& to) {
    add(to, 20, 2);
    add(to, 0, 2);
    add(to, deflated ? 8 : 0, 2);
    add(to, 0, 8);
    add(to, packed.size(), 4);
    add(to, bytes, 4);
    add(to, name.size(), 2);
    add(to, 0, 2);
  };
  std::vector<std::uint8_t> file;
  add(file, 0x04034b50, 4);
  add_common(file);
  file.insert(file.end(), name.begin(), name.end());
  file.insert(file.end(), packed.begin(), packed.end());
  std::size_t const start = file.size();
  add(file, 0x02014b50, 4);
  add(file, 20, 2);
  add_common(file);
  add(file, 0, 14);
  file.insert(file.end(), name.begin(), name.end());
  std::size_t const directory = file.size() - start;
  add(file, 0x06054b50, 4);
  add(file, 0, 4);
  add(file, 1, 2);
  add(file, 1, 2);
  add(file, directory, 4);
  add(file, start, 4);
  add(file, 0, 2);
  return file;
}

}  // namespace
}  // namespace tessera::fuzz

// The first byte selects an archive, or the size (four bytes) and content of a member.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace tessera;
  fuzz::Bytes bytes(data, size);
  auto const kind = fuzz::take(bytes, 1) % 3;
  if (kind == 0) {
    fuzz::read_matrix(fuzz::put("A.npz", bytes) + ":A");
    return 0;
  }
  auto const holds = fuzz::take(bytes, 4);
  auto const archive =
      kind == 1 ? fuzz::zip(bytes, true, holds) : fuzz::zip(bytes, false, bytes.size());
  fuzz::read_matrix(fuzz::put("A.npz", archive) + ":A");
  return 0;
}
