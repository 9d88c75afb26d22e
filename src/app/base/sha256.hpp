// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include <io/types.hpp>

namespace tessera::app {

class Sha256 {
 public:
  Sha256();
  void add(std::span<std::byte const> bytes);
  /// 64 lower-case digits. Call once, last.
  [[nodiscard]] std::string text();

 private:
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;
};

/// Of the raw little-endian elements.
[[nodiscard]] std::string sha256(io::ElementSpan elements);
[[nodiscard]] std::string sha256(std::span<std::byte const> bytes);

}  // namespace tessera::app
