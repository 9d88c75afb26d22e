// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace tessera::check {

/// Called with the bytes read since the previous call, by any thread; may be empty.
using Advance = std::function<void(std::uint64_t)>;

/// Progress callbacks of a check; both may be empty.
struct Progress {
  std::function<void(std::uint64_t)> begin{};  ///< called with the total of bytes to read
  Advance advance{};
};

}  // namespace tessera::check
