// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/transpose/block.hpp>
#include <string>

#include <Kokkos_Core.hpp>

/// Threads move single elements, which a policy selects.
///
/// Source of all: J. Cheng, M. Grossman and T. McKercher, Professional CUDA C Programming, Wrox
/// 2014, chapter 4, for multiples of the block.
namespace tessera::published {

/// The direction in A of threads adjacent in x.
enum class Along { rows, columns };

struct InOrderOfGrid {
  static constexpr bool is_copy = false;
  static constexpr int per_thread = 1;
  KOKKOS_INLINE_FUNCTION static detail::Place place(Index number, detail::Grid const& grid) {
    return detail::place_of(number, grid);
  }
};

/// out = A, the bound. Along columns, loads and stores move a sector of memory per element.
struct Copy : InOrderOfGrid {
  static constexpr char name[] = "copy";
  static constexpr bool is_copy = true;
};

/// At = Aᵀ. Along rows of A stores are scattered, along columns loads.
struct Naive : InOrderOfGrid {
  static constexpr char name[] = "naive";
};

/// At = Aᵀ as Naive, with four elements per thread, a block's width apart: independent loads hide
/// latency.
struct Unroll4 : InOrderOfGrid {
  static constexpr char name[] = "unroll4";
  static constexpr int per_thread = 4;
};

/// At = Aᵀ as Naive, with blocks along wrapped diagonals of the grid, so that concurrent blocks
/// access different partitions of memory. Source also: G. Ruetsch and P. Micikevicius, Optimizing
/// Matrix Transpose in CUDA, NVIDIA 2009.
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

/// A: m x n, out: n x m (copy: m x n), row-major, padding allowed; elements of 1, 2, 4, 8 or 16
/// bytes. Asynchronous, no fence, no allocation.
/// @throws std::invalid_argument for blocks, sizes or overlap
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
