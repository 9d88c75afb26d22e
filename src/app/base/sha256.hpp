// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <io/types.hpp>

namespace tessera::app {

class Sha256 {
 public:
  /// Chooses the implementation: with the processor's SHA instructions if it has them, or always
  /// the portable one.
  enum class Code { fastest, portable };
  explicit Sha256(Code code = Code::fastest);
  void add(std::span<std::byte const> bytes);
  /// 64 lower-case digits. Call once, last.
  [[nodiscard]] std::string text();

 private:
  using Hash = std::array<std::uint32_t, 8>;
  void (*compress_)(Hash& hash, std::byte const* block);  // adds 64 bytes to the hash value
  Hash hash_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> block_{};  // the last length_ % 64 bytes
  std::uint64_t length_ = 0;           // in bytes
};

/// Of the raw little-endian elements.
[[nodiscard]] std::string sha256(io::ElementSpan elements);
[[nodiscard]] std::string sha256(std::span<std::byte const> bytes);

}  // namespace tessera::app
