// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include <io/types.hpp>

namespace tessera::app {

/// SHA-256 of bytes, fed piece by piece.
class Sha256 {
 public:
  /// @throws Failure if OpenSSL fails
  Sha256();
  void add(std::span<std::byte const> bytes);
  /// 64 lower-case hexadecimal digits. Call it once, last.
  [[nodiscard]] std::string text();

 private:
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;
};

/// SHA-256 of the raw little-endian elements, as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256(io::ElementSpan elements);
/// The same of bytes.
[[nodiscard]] std::string sha256(std::span<std::byte const> bytes);

}  // namespace tessera::app
