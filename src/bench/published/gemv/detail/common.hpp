// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/detail/tiles.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/launch.hpp>
#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/order/lines.hpp>

/// Shared by the variants.
namespace tessera::published::gemv::detail {

using summation::ceil_div;
using tessera::detail::is_row_major;
using tessera::detail::Member;

template <class T, bool RowMajor>
struct Elements {
  T* data;
  Index rows;
  Index cols;
  Index leading;  ///< elements between rows or columns

  KOKKOS_INLINE_FUNCTION T& operator()(Index i, Index j) const {
    return RowMajor ? data[i * leading + j] : data[j * leading + i];
  }
};

template <class T>
struct Strided {
  T* data;
  Index stride;  ///< elements between entries

  KOKKOS_INLINE_FUNCTION T& operator[](Index i) const { return data[i * stride]; }
};

template <class A>
Elements<typename A::const_value_type, is_row_major<A>> elements_of(A const& a) {
  return {a.data(), static_cast<Index>(a.extent(0)), static_cast<Index>(a.extent(1)),
          static_cast<Index>(is_row_major<A> ? a.stride(0) : a.stride(1))};
}

template <class V>
Strided<typename V::const_value_type> input(V const& x) {
  return {x.data(), static_cast<Index>(x.stride(0))};
}

template <class V>
Strided<typename V::value_type> output(V const& x) {
  return {x.data(), static_cast<Index>(x.stride(0))};
}

template <class A, class V, class B>
void require_product(std::string_view name, A const& a, V const& v, B const& b) {
  checks::require_matrix(name, a);
  checks::require_elements(name, "A", a);
  checks::require_input(name, "v", v, a.extent(1));
  checks::require_output(name, "B", b, a.extent(0));
  checks::require_apart(name, "B", b, "A", a);
  checks::require_apart(name, "B", b, "v", v);
}

/// For variants without a tile. @return the team of a call
template <class Exec, class A, class V, class B>
TeamShape team_of_product(char const* name, Exec const& exec, A const& a, V const& v, B const& b,
                          VariantOptions<Exec> const& options, TeamShape preset) {
  require_product(name, a, v, b);
  published::detail::require_teams(name, options);
  published::detail::require_no_tile(name, options);
  return published::detail::checked_team(name, exec, options.team, preset);
}

struct Place {
  int row;
  int col;
};

struct Element {
  Index row;
  Index col;
};

template <bool RowMajor>
struct Tiles {
  Index rows;
  Index cols;
  TeamShape team;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index count() const {
    return ceil_div(rows, team.rows) * ceil_div(cols, team.cols);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Place place(int thread) const {
    if constexpr (RowMajor) {
      return {thread / team.cols, thread % team.cols};
    } else {
      return {thread % team.rows, thread / team.rows};
    }
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Element element(Index tile, int thread) const {
    Index const across = RowMajor ? ceil_div(cols, team.cols) : ceil_div(rows, team.rows);
    Index const row = RowMajor ? tile / across : tile % across;
    Index const col = RowMajor ? tile % across : tile / across;
    Place const own = place(thread);
    return {row * team.rows + own.row, col * team.cols + own.col};
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool has(Element e) const {
    return e.row < rows && e.col < cols;
  }
};

template <class T>
struct SetZero {
  Strided<T> B;

  KOKKOS_FUNCTION void operator()(Index i) const { B[i] = T(0); }
};

template <class Exec, class T>
void set_zero(Exec const& exec, std::string const& label, Strided<T> B, Index size) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
  Kokkos::parallel_for(label, Policy(exec, 0, size), SetZero<T>{B});
}

/// Adds the right half of each row of sValues (rows, cols) to the left one until column 0 has the
/// sum. Collective.
template <class T, class Team>
KOKKOS_INLINE_FUNCTION void fold_rows(Team const& member, T* sValues, int cols, Place place) {
  T* const sRow = sValues + static_cast<std::ptrdiff_t>(place.row) * cols;
  member.team_barrier();
  for (int length = cols; length > 1;) {
    int const half = (length + 1) / 2;
    if (place.col + half < length) sRow[place.col] += sRow[place.col + half];
    member.team_barrier();
    length = half;
  }
}

}  // namespace tessera::published::gemv::detail
