// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/detail/tiles.hpp>
#include <cstddef>
#include <limits>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/checks.hpp>

/// Two-dimensional blocks of threads.
namespace tessera::published {

using summation::Index;

/// Thread (x, y) follows (x - 1, y): threads adjacent in x run in lockstep.
struct Block {
  int x = 32;
  int y = 8;

  friend constexpr bool operator==(Block const&, Block const&) = default;
};

namespace detail {

struct Grid {
  Block block;
  Index x;
  Index y;

  /// Covers `across` elements along x, `per_thread` each, and `down` along y.
  Grid(Block its_block, Index across, Index down, Index per_thread = 1)
      : block(its_block),
        x(summation::ceil_div(across, its_block.x * per_thread)),
        y(summation::ceil_div(down, its_block.y)) {}
};

struct Place {
  Index x;
  Index y;
};

KOKKOS_INLINE_FUNCTION Place place_of(Index number, Grid const& grid) {
  return {number % grid.x, number / grid.x};
}

/// On a GPU one call per thread, on a host all in one thread.
template <class Team, class Body>
KOKKOS_INLINE_FUNCTION void for_each_thread(Team const& member, Block const& block,
                                            Body const& body) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(member, block.x * block.y),
                       [&](int const thread) { body(thread % block.x, thread / block.x); });
}

template <class Exec>
void require_block(std::string const& name, Block const& block, std::size_t scratch = 0) {
  std::string const size = std::to_string(block.x) + " x " + std::to_string(block.y);
  if (block.x < 1 || block.y < 1) {
    checks::fail(name, "a block has at least one thread in each direction, found " + size);
  }
  if (Index{block.x} * block.y > most_team_threads) {
    checks::fail(name, "a block has at most " + std::to_string(most_team_threads) +
                           " threads, found " + size);
  }
  auto const most = static_cast<std::size_t>(Kokkos::TeamPolicy<Exec>::scratch_size_max(0));
  if (scratch > most) {
    checks::fail(name, "a block of " + size + " threads needs " + std::to_string(scratch) +
                           " bytes of scratch, and there are " + std::to_string(most));
  }
}

template <class Exec, class Kernel>
struct EachBlock {
  Kernel kernel;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    backends::host::OrdinaryArithmetic const mode;
    kernel(member);
  }
};

template <class Exec, class Kernel>
void for_each_block(Exec const& exec, std::string const& name, Grid const& grid,
                    std::size_t scratch, Kernel const& kernel) {
  if (grid.x > std::numeric_limits<int>::max() / grid.y) {
    checks::fail(name, "more blocks than a launch can have; choose larger ones");
  }
  require_all_threads(name, exec);
  int const team_size = backends::Backend<Exec>::is_gpu ? grid.block.x * grid.block.y : 1;
  TeamPolicy<Exec> policy(exec, static_cast<int>(grid.x * grid.y), team_size);
  if (scratch > 0) policy.set_scratch_size(0, Kokkos::PerTeam(scratch));
  Kokkos::parallel_for("tessera::" + name, policy, EachBlock<Exec, Kernel>{kernel});
}

}  // namespace detail
}  // namespace tessera::published
