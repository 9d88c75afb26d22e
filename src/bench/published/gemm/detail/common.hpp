// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/detail/blocks.hpp>
#include <concepts>
#include <string>
#include <string_view>

#include <Kokkos_Core.hpp>

#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/order/lines.hpp>

/// Shared by the variants.
namespace tessera::published::gemm {

struct Options {
  TeamShape team{};
  /// Columns of A and rows of B in scratch; 0: as published.
  Index tile = 0;
};

namespace detail {

using tessera::detail::Member;

template <class T>
struct Elements {
  T* data;
  Index row;     ///< elements between rows
  Index column;  ///< elements between columns

  KOKKOS_INLINE_FUNCTION T& operator()(Index i, Index j) const {
    return data[i * row + j * column];
  }
};

/// C has contiguous rows: a column-major C becomes Cᵀ = Bᵀ·Aᵀ, with the factors in the same order
/// of k.
template <class T>
struct Product {
  Elements<T const> A;
  Elements<T const> B;
  Elements<T> C;
  Index rows;
  Index cols;
  Index inner;

  /// A chain of fma from +0 in order of k.
  KOKKOS_INLINE_FUNCTION T sum(Index i, Index j) const {
    T sum = T(0);
    for (Index k = 0; k < inner; ++k) sum = Kokkos::fma(A(i, k), B(k, j), sum);
    return sum;
  }
  /// + 0: negative zero becomes +0, as in the operations.
  KOKKOS_INLINE_FUNCTION void store(Index i, Index j, T sum) const { C(i, j) = sum + T(0); }
};

template <class T, class View>
Elements<T> elements_of(View const& x, bool transposed) {
  auto const row = static_cast<Index>(x.stride(0));
  auto const column = static_cast<Index>(x.stride(1));
  return transposed ? Elements<T>{x.data(), column, row} : Elements<T>{x.data(), row, column};
}

template <class C>
inline constexpr bool is_transposed = std::same_as<typename C::array_layout, Kokkos::LayoutLeft>;

template <class A, class B, class C>
auto product_of(std::string_view name, A const& a, B const& b, C const& c) {
  using T = typename C::value_type;
  checks::require_matrix(name, a);
  checks::require_elements(name, "A", a);
  checks::require_rows(name, "B", b, a.extent(1));
  checks::require_elements(name, "B", b);
  checks::require_memory(name, "B", b);
  checks::require_extents(name, "C", c, a.extent(0), b.extent(1));
  checks::require_memory(name, "C", c);
  checks::require_distinct(name, "C", c);
  checks::require_apart(name, "C", c, "A", a);
  checks::require_apart(name, "C", c, "B", b);

  constexpr bool turn = is_transposed<C>;
  auto const first = elements_of<T const>(a, turn);
  auto const second = elements_of<T const>(b, turn);
  return Product<T>{turn ? second : first,
                    turn ? first : second,
                    elements_of<T>(c, turn),
                    static_cast<Index>(c.extent(turn ? 1 : 0)),
                    static_cast<Index>(c.extent(turn ? 0 : 1)),
                    static_cast<Index>(a.extent(1))};
}

inline void require_plain(std::string_view name, Options const& options) {
  if (options.team != TeamShape{} || options.tile != 0) {
    checks::fail(name, "this variant has neither a team nor a tile: leave both alone");
  }
}

inline TeamShape team_of(std::string_view name, Options const& options, TeamShape published) {
  TeamShape const team = options.team == TeamShape{} ? published : options.team;
  std::string const found = ", found " + published::detail::text_of(team);
  if (team.rows < 1 || team.cols < 1) {
    checks::fail(name, "a team must have at least one row and one column of threads" + found);
  }
  if (team.threads() > published::detail::most_team_threads) {
    checks::fail(name, "a team has at most " +
                           std::to_string(published::detail::most_team_threads) + " threads" +
                           found);
  }
  return team;
}

template <class C, class T>
published::detail::Grid grid_of(Product<T> const& product, TeamShape team) {
  Block const block = is_transposed<C> ? Block{team.rows, team.cols} : Block{team.cols, team.rows};
  return {block, product.cols, product.rows};
}

}  // namespace detail
}  // namespace tessera::published::gemm
