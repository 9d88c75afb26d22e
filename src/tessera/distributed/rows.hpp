// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tessera/summation.hpp>

namespace tessera::distributed {

using summation::Index;

/// Rows [first, first + count).
struct Rows {
  Index first = 0;
  Index count = 0;

  [[nodiscard]] Index end() const { return first + count; }
  friend bool operator==(Rows const&, Rows const&) = default;
};

}  // namespace tessera::distributed
