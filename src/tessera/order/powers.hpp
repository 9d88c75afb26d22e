// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <tessera/summation.hpp>

/// Groups of 2^k segments or panels are whole subtrees.
namespace tessera::detail {

using summation::Index;

/// 1 for x < 1.
inline Index floor_power_of_two(Index x) {
  return static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(std::max(Index{1}, x))));
}

inline Index ceil_power_of_two(Index x) {
  return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(std::max(Index{1}, x))));
}

/// Kokkos counts teams in 31 bits.
inline constexpr Index most_teams = Index{1} << 30;

/// Limits a group to what `count` objects can use.
inline Index group_size(Index wanted, Index count) {
  return std::min(wanted, ceil_power_of_two(count));
}

}  // namespace tessera::detail
