// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <tessera/summation.hpp>

/// Powers of two. Groups of segments and of panels have such sizes, which makes them whole
/// subtrees.
namespace tessera::detail {

using summation::Index;

/// The largest power of two <= x; 1 for x < 1.
inline Index floor_power_of_two(Index x) {
  return static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(std::max(Index{1}, x))));
}

/// The smallest power of two >= x; 1 for x < 1.
inline Index ceil_power_of_two(Index x) {
  return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(std::max(Index{1}, x))));
}

/// Limits a caller's power of two to the number that `count` objects can use.
inline Index group_size(Index wanted, Index count) {
  return std::min(wanted, ceil_power_of_two(count));
}

}  // namespace tessera::detail
