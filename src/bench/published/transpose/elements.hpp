// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/transpose/block.hpp>
#include <string>

#include <Kokkos_Core.hpp>

/// Transposes and copies in which a thread moves single elements. All use one kernel; a policy
/// defines the elements of a thread and the place of its block.
///
/// Source of all: J. Cheng, M. Grossman and T. McKercher, Professional CUDA C Programming, Wrox
/// 2014, chapter 4; there for matrices whose sizes are multiples of the block.
namespace tessera::published {

/// The direction in A of threads that are neighbours in x.
enum class Along { rows, columns };

/// out = A, one thread per element.
///
/// What it teaches: the bounds. Along rows no transpose with the same blocks is faster, because
/// loads and stores are both adjacent. Along columns both are a row apart, so each moves a sector
/// of memory for one element.
struct Copy {
  static constexpr char name[] = "copy";
  static constexpr bool is_copy = true;
  static constexpr int per_thread = 1;
  KOKKOS_INLINE_FUNCTION static detail::Place place(Index number, detail::Grid const& grid) {
    return detail::place_of(number, grid);
  }
};

/// At = Aᵀ, one thread per element.
///
/// What it teaches: half of the accesses of a transpose are scattered either way. Along rows of A,
/// loads are adjacent and stores are a row of At apart. Along columns stores are adjacent and loads
/// are scattered. That is faster if a block has several rows, because the sectors that loads leave
/// in the cache serve threads of later rows.
struct Naive {
  static constexpr char name[] = "naive";
  static constexpr bool is_copy = false;
  static constexpr int per_thread = 1;
  KOKKOS_INLINE_FUNCTION static detail::Place place(Index number, detail::Grid const& grid) {
    return detail::place_of(number, grid);
  }
};

/// At = Aᵀ as Naive, with four elements per thread, a block's width apart.
///
/// What it teaches: independent loads hide the latency of memory, with fewer threads. There is more
/// latency to hide along columns, where loads are scattered. Here the last block of a line is
/// shortened to fit.
struct Unroll4 {
  static constexpr char name[] = "unroll4";
  static constexpr bool is_copy = false;
  static constexpr int per_thread = 4;
  KOKKOS_INLINE_FUNCTION static detail::Place place(Index number, detail::Grid const& grid) {
    return detail::place_of(number, grid);
  }
};

/// At = Aᵀ as Naive, with blocks numbered along the diagonals of the grid. A diagonal that reaches
/// the right edge continues at the left.
///
/// What it teaches: concurrent blocks should not access the same partition of memory, as the blocks
/// of a column do if the row length is a power of two. On processors that hash addresses to
/// partitions this is only an exercise.
///
/// Source also: G. Ruetsch and P. Micikevicius, Optimizing Matrix Transpose in CUDA, NVIDIA 2009.
struct Diagonal {
  static constexpr char name[] = "diagonal";
  static constexpr bool is_copy = false;
  static constexpr int per_thread = 1;
  KOKKOS_INLINE_FUNCTION static detail::Place place(Index number, detail::Grid const& grid) {
    Index const y = number % grid.y;
    return {(number / grid.y + y) % grid.x, y};
  }
};

namespace detail {

/// Moves the elements of a block in the order of Policy.
template <class Exec, class T, class Policy, Along along>
struct MoveElements {
  Rows<T const> A;
  Rows<T> out;
  Grid grid;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    Place const place = Policy::place(member.league_rank(), grid);
    for_each_thread(member, grid.block, [&](int const x, int const y) {
      Index const first = place.x * Policy::per_thread * grid.block.x + x;
      Index const other = place.y * grid.block.y + y;
      for (int k = 0; k < Policy::per_thread; ++k) {
        Index const one = first + k * grid.block.x;
        Index const i = along == Along::rows ? other : one;
        Index const j = along == Along::rows ? one : other;
        if (!A.has(i, j)) continue;
        if constexpr (Policy::is_copy) {
          out(i, j) = A(i, j);
        } else {
          out(j, i) = A(i, j);
        }
      }
    });
  }
};

}  // namespace detail

/// Moves elements by a policy above, with neighbouring threads along rows or columns of A.
///
/// A is m x n. The output is n x m, or m x n for a copy. Both are row-major, and rows may be
/// padded. Elements have 1, 2, 4, 8 or 16 bytes. Blocks have at most 1024 threads. Asynchronous in
/// `exec`, no fence and no allocation. Throws std::invalid_argument for an unsupported block, sizes
/// that do not fit, or overlap.
template <class Policy, Along along, ExecutionSpace Exec, RowMajorOf<Exec> A,
          RowMajorOutputOf<Exec, A> Out>
void move_elements(Exec const& exec, A const& a, Out const& out, Block const& block) {
  using T = typename Out::value_type;
  constexpr bool by_rows = along == Along::rows;
  std::string const name = std::string("published::") + Policy::name + (by_rows ? "-row" : "-col");
  detail::require_matrices(name, a, out, Policy::is_copy);
  detail::require_block<Exec>(name, block);
  auto const rows = static_cast<Index>(a.extent(0));
  auto const cols = static_cast<Index>(a.extent(1));
  detail::Grid const grid(block, by_rows ? cols : rows, by_rows ? rows : cols, Policy::per_thread);
  detail::for_each_block(exec, name, grid, 0,
                         detail::MoveElements<Exec, T, Policy, along>{
                             detail::rows_of<T const>(a), detail::rows_of<T>(out), grid});
}

}  // namespace tessera::published
