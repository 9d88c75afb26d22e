// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <limits>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/detail/launch.hpp>
#include <tessera/variants/detail/tiles.hpp>

/// What the published transposes share: two-dimensional blocks of threads over row-major matrices.
namespace tessera::variants {

using summation::Index;

/// Threads of a block, side by side (x) and one below the other (y). Thread (x, y) comes after
/// (x - 1, y): neighbours in x run in step.
struct Block {
  int x = 32;
  int y = 8;

  friend constexpr bool operator==(Block const&, Block const&) = default;
};

/// A matrix as the published kernels take it: row-major, rows may be padded.
template <class View, class Exec>
concept RowMajorOf =
    ElementMatrixOf<View, Exec> && std::same_as<typename View::array_layout, Kokkos::LayoutRight>;
template <class View, class Exec, class A>
concept RowMajorOutputOf = RowMajorOf<View, Exec> && TransposeOf<View, Exec, A>;

namespace detail {

/// A row-major matrix in a kernel.
template <class T>
struct Rows {
  T* data;
  Index rows;
  Index cols;
  Index leading;

  KOKKOS_INLINE_FUNCTION bool has(Index i, Index j) const { return i < rows && j < cols; }
  KOKKOS_INLINE_FUNCTION T& operator()(Index i, Index j) const { return data[i * leading + j]; }
};

template <class T, class View>
Rows<T> rows_of(View const& a) {
  return {a.data(), static_cast<Index>(a.extent(0)), static_cast<Index>(a.extent(1)),
          static_cast<Index>(a.stride(0))};
}

/// The blocks of a launch, `x` of them side by side.
struct Grid {
  Block block;
  Index x;
  Index y;

  /// For `across` elements along x, of which a thread has `per_thread`, and `down` along y.
  Grid(Block its_block, Index across, Index down, Index per_thread = 1)
      : block(its_block),
        x(summation::ceil_div(across, its_block.x * per_thread)),
        y(summation::ceil_div(down, its_block.y)) {}
};

/// Where a block is in its grid.
struct Place {
  Index x;
  Index y;
};

template <class Team>
KOKKOS_INLINE_FUNCTION Place place_of(Team const& member, Grid const& grid) {
  return {member.league_rank() % grid.x, member.league_rank() / grid.x};
}

/// body(x, y) for each thread of a block: on a GPU one of the team each, on a host all by one.
template <class Team, class Body>
KOKKOS_INLINE_FUNCTION void for_each_thread(Team const& member, Block const& block,
                                            Body const& body) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(member, block.x * block.y),
                       [&](int const thread) { body(thread % block.x, thread / block.x); });
}

/// Refuses blocks that are none, have too many threads or need more scratch than there is.
template <class Exec>
void require_block(std::string const& variant, Block const& block, std::size_t scratch = 0) {
  std::string const name = std::to_string(block.x) + " x " + std::to_string(block.y);
  if (block.x < 1 || block.y < 1) {
    checks::fail(variant, "a block has at least one thread in each direction, found " + name);
  }
  if (Index{block.x} * block.y > most_team_threads) {
    checks::fail(variant, "a block has at most " + std::to_string(most_team_threads) +
                              " threads, found " + name);
  }
  auto const most = static_cast<std::size_t>(Kokkos::TeamPolicy<Exec>::scratch_size_max(0));
  if (scratch > most) {
    checks::fail(variant, "a block of " + name + " threads needs " + std::to_string(scratch) +
                              " bytes of scratch, and there are " + std::to_string(most));
  }
}

/// Checks what every variant asks of its matrices: At is n x m, or, of a copy, m x n.
template <class A, class Out>
void require_matrices(std::string const& variant, A const& a, Out const& out, bool is_copy) {
  checks::require_elements(variant, a);
  checks::require_extents(variant, is_copy ? "the copy" : "At", out, a.extent(is_copy ? 0 : 1),
                          a.extent(is_copy ? 1 : 0));
  checks::require_apart(variant, is_copy ? "the copy" : "At", out, "A", a);
}

/// Runs `kernel` on every block of a grid.
template <class Exec, class Kernel>
void for_each_block(Exec const& exec, std::string const& variant, Grid const& grid,
                    std::size_t scratch, Kernel const& kernel) {
  if (grid.x > std::numeric_limits<int>::max() / grid.y) {
    checks::fail(variant, "more blocks than a launch can have; choose larger ones");
  }
  int const team_size = backends::Backend<Exec>::is_gpu ? grid.block.x * grid.block.y : 1;
  TeamPolicy<Exec> policy(exec, static_cast<int>(grid.x * grid.y), team_size);
  if (scratch > 0) policy.set_scratch_size(0, Kokkos::PerTeam(scratch));
  Kokkos::parallel_for("tessera::variants::" + variant, policy, kernel);
}

/// The direction in A of threads that are neighbours in x.
enum class Along { rows, columns };

/// Checks, and runs Kernel{A, out, grid}: a thread an element, or `per_thread` of them along x.
template <template <class, class> class Kernel, class Exec, class A, class Out>
void run_elements(Exec const& exec, std::string const& variant, A const& a, Out const& out,
                  Block const& block, Along along, bool is_copy = false, Index per_thread = 1) {
  using T = typename Out::value_type;
  require_matrices(variant, a, out, is_copy);
  require_block<Exec>(variant, block);
  auto const rows = static_cast<Index>(a.extent(0));
  auto const cols = static_cast<Index>(a.extent(1));
  Grid const grid = along == Along::rows ? Grid(block, cols, rows, per_thread)
                                         : Grid(block, rows, cols, per_thread);
  for_each_block(exec, variant, grid, 0,
                 Kernel<Exec, T>{rows_of<T const>(a), rows_of<T>(out), grid});
}

}  // namespace detail
}  // namespace tessera::variants
