// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace tessera::check {

/// Called with the bytes that were read since the call before, by any thread; may be empty.
using Advance = std::function<void(std::uint64_t)>;

/// What is told while a result is checked; either may be empty.
struct Progress {
  std::function<void(std::uint64_t)> begin{};  ///< called with all bytes that will be read
  Advance advance{};
};

}  // namespace tessera::check
