// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tessera::test {

/// Lower-case.
std::string sha256(std::span<std::byte const> bytes);

template <class T>
std::string sha256(std::vector<T> const& values) {
  static_assert(std::endian::native == std::endian::little,
                "the digests are of little-endian bytes");
  return sha256(std::as_bytes(std::span(values)));
}

}  // namespace tessera::test
