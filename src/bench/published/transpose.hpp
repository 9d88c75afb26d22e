// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bench/published/detail/blocks.hpp>
#include <concepts>
#include <string>
#include <string_view>

#include <Kokkos_Core.hpp>

#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>

/// Transposes in the order of their course.
namespace tessera::published {

template <class View, class Exec>
concept RowMajorOf =
    ElementMatrixOf<View, Exec> && std::same_as<typename View::array_layout, Kokkos::LayoutRight>;
template <class View, class Exec, class A>
concept RowMajorOutputOf = RowMajorOf<View, Exec> && TransposeOf<View, Exec, A>;

namespace detail {

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

/// Checks out: n x m; a copy: m x n.
template <class A, class Out>
void require_matrices(std::string const& name, A const& a, Out const& out, bool is_copy) {
  auto const* const output = is_copy ? "the copy" : "At";
  checks::require_matrix(name, a);
  checks::require_elements(name, "A", a);
  checks::require_extents(name, output, out, a.extent(is_copy ? 0 : 1), a.extent(is_copy ? 1 : 0));
  checks::require_memory(name, output, out);
  checks::require_distinct(name, output, out);
  checks::require_apart(name, output, out, "A", a);
}

}  // namespace detail

// Threads move single elements, which a policy selects.
//
// Source of all: J. Cheng, M. Grossman and T. McKercher, Professional CUDA C Programming, Wrox
// 2014, chapter 4, for multiples of the block.

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

// Transposes with a tile in scratch.
//
// Source of all: chapter 5 of the same book, after the article by Ruetsch and
// Micikevicius there; for multiples of the block.

namespace detail {

/// Reads a tile `Unroll` blocks wide along the rows of A, and writes it along the rows of At.
template <class Exec, class T, int Pad, int Unroll>
struct Tile {
  Rows<T const> A;
  Rows<T> out;
  Grid grid;

  static Index scratch(Block const& block) {
    return static_cast<Index>(block.y) * (Unroll * block.x + Pad);
  }

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member) const {
    Place const place = place_of(member.league_rank(), grid);
    Block const block = grid.block;
    int const width = Unroll * block.x;
    int const pitch = width + Pad;
    Index const row = place.y * block.y;
    Index const col = place.x * width;
    T* const sA = tessera::detail::team_scratch<T>(
        member, 0, static_cast<Index>(block.y) * pitch);  // (block.y, pitch)
    for_each_thread(member, block, [&](int const x, int const y) {
      for (int k = 0; k < Unroll; ++k) {
        int const j = x + k * block.x;
        if (A.has(row + y, col + j)) sA[y * pitch + j] = A(row + y, col + j);
      }
    });
    member.team_barrier();
    for_each_thread(member, block, [&](int const x, int const y) {
      int const thread = y * block.x + x;
      int const i = thread % block.y;
      for (int k = 0; k < Unroll; ++k) {
        int const j = thread / block.y + k * block.x;
        if (A.has(row + i, col + j)) out(col + j, row + i) = sA[i * pitch + j];
      }
    });
  }
};

template <int Pad, int Unroll, class Exec, class A, class Out>
void run_tile(Exec const& exec, std::string const& variant, A const& a, Out const& out,
              Block const& block) {
  using T = typename Out::value_type;
  using Kernel = Tile<Exec, T, Pad, Unroll>;
  std::string const name = "published::" + variant;
  require_matrices(name, a, out, false);
  require_block<Exec>(name, block);
  std::size_t const bytes = tessera::detail::scratch_bytes<T>(Kernel::scratch(block));
  require_block<Exec>(name, block, bytes);
  Grid const grid(block, static_cast<Index>(a.extent(1)), static_cast<Index>(a.extent(0)), Unroll);
  for_each_block(exec, name, grid, bytes, Kernel{rows_of<T const>(a), rows_of<T>(out), grid});
}

}  // namespace detail

/// At = Aᵀ, as move_elements(): the strided access is in scratch, with bank conflicts.
template <ExecutionSpace Exec, RowMajorOf<Exec> A, RowMajorOutputOf<Exec, A> Out>
void tile(Exec const& exec, A const& a, Out const& out, Block const& block) {
  detail::run_tile<0, 1>(exec, "tile", a, out, block);
}

/// As tile(), with padded rows against bank conflicts.
template <ExecutionSpace Exec, RowMajorOf<Exec> A, RowMajorOutputOf<Exec, A> Out>
void tile_padded(Exec const& exec, A const& a, Out const& out, Block const& block) {
  detail::run_tile<1, 1>(exec, "tile-padded", a, out, block);
}

/// As tile_padded(), two blocks wide.
template <ExecutionSpace Exec, RowMajorOf<Exec> A, RowMajorOutputOf<Exec, A> Out>
void tile_unrolled_padded(Exec const& exec, A const& a, Out const& out, Block const& block) {
  detail::run_tile<1, 2>(exec, "tile-unrolled-padded", a, out, block);
}

template <class Exec, class T>
using TransposeInput = Kokkos::View<T const**, Kokkos::LayoutRight, typename Exec::memory_space,
                                    Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
template <class Exec, class T>
using TransposeOutput = Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space,
                                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

template <class Exec, class T>
struct TransposeVariant {
  std::string_view name;
  bool is_copy;  ///< computes A (m x n), not its transpose
  std::string_view blocks;
  void (*run)(Exec const& exec, TransposeInput<Exec, T> const& A,
              TransposeOutput<Exec, T> const& out, Block const& block);
};

template <ExecutionSpace Exec, Element T>
constexpr auto transpose_variants() {
  using In = TransposeInput<Exec, T>;
  using Out = TransposeOutput<Exec, T>;
  constexpr std::string_view any = "at most 1024 threads";
  constexpr std::string_view fitting = "at most 1024 threads, whose tile fits the team's scratch";
  return std::array<TransposeVariant<Exec, T>, 11>{{
      {"copy-row", true, any, &move_elements<Copy, Along::rows, Exec, In, Out>},
      {"copy-col", true, any, &move_elements<Copy, Along::columns, Exec, In, Out>},
      {"naive-row", false, any, &move_elements<Naive, Along::rows, Exec, In, Out>},
      {"naive-col", false, any, &move_elements<Naive, Along::columns, Exec, In, Out>},
      {"unroll4-row", false, any, &move_elements<Unroll4, Along::rows, Exec, In, Out>},
      {"unroll4-col", false, any, &move_elements<Unroll4, Along::columns, Exec, In, Out>},
      {"diagonal-row", false, any, &move_elements<Diagonal, Along::rows, Exec, In, Out>},
      {"diagonal-col", false, any, &move_elements<Diagonal, Along::columns, Exec, In, Out>},
      {"tile", false, fitting, &tile<Exec, In, Out>},
      {"tile-padded", false, fitting, &tile_padded<Exec, In, Out>},
      {"tile-unrolled-padded", false, fitting, &tile_unrolled_padded<Exec, In, Out>},
  }};
}

}  // namespace tessera::published
