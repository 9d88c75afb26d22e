// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace tessera::check {

/// Bytes read since the previous call, from any thread; may be empty.
using Advance = std::function<void(std::uint64_t)>;

struct Progress {
  std::function<void(std::uint64_t)> begin{};  ///< total bytes; may be empty
  Advance advance{};
};

}  // namespace tessera::check
