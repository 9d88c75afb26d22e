// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/gemv/detail/common.hpp>
#include <string>
#include <string_view>

#include <Kokkos_Core.hpp>

namespace tessera::published::gemv {

inline constexpr TeamShape column_tile_team{128, 1};
inline constexpr Index column_tile_width = 128;

namespace detail {

struct DynamicWidth {
  Index columns;
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index value() const { return columns; }
};

template <int Columns>
struct StaticWidth {
  [[nodiscard]] KOKKOS_INLINE_FUNCTION static constexpr Index value() { return Columns; }
};

template <class T>
KOKKOS_FORCEINLINE_FUNCTION T add_columns(Elements<T const, false> const& A, Index i, Index first,
                                          T const* sV, Index columns, T sum) {
  for (Index k = 0; k < columns; ++k) sum = Kokkos::fma(A(i, first + k), sV[k], sum);
  return sum;
}

/// A functor: with nvcc 13 a lambda that captures an empty width crashes on the host. `Exact`: ends
/// are not checked.
template <bool Exact, class Exec, class T, class Width>
struct ColumnTile {
  Elements<T const, false> A;
  Strided<T const> v;
  Strided<T> B;
  Index threads;
  Width width;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member, Index tile, T* sV) const {
    // sV: (width)
    Index const i = tile * threads + member.team_rank();
    T sum = T(0);
    for (Index first = 0; first < A.cols; first += width.value()) {
      Index const left = A.cols - first;
      bool const is_whole = Exact || left >= width.value();
      Index const columns = is_whole ? width.value() : left;
      for (Index k = member.team_rank(); k < columns; k += threads) sV[k] = v[first + k];
      member.team_barrier();
      if (Exact || i < A.rows) {
        sum = is_whole ? add_columns(A, i, first, sV, width.value(), sum)
                       : add_columns(A, i, first, sV, left, sum);
      }
      member.team_barrier();
    }
    if (Exact || i < A.rows) B[i] = sum;
  }
};

template <bool Exact, class Exec, class T, class Width>
void run_column_tile(Exec const& exec, std::string const& label, Elements<T const, false> const& A,
                     Strided<T const> v, Strided<T> B, TeamShape team, Index teams, Width width) {
  Index const threads = team.threads();
  published::detail::for_each_tile<T>(exec, label, ceil_div(A.rows, threads), teams, team,
                                      width.value(),
                                      ColumnTile<Exact, Exec, T, Width>{A, v, B, threads, width});
}

template <class Exec>
TeamShape column_team(std::string_view name, Exec const& exec, TeamShape requested) {
  TeamShape const preset = published::detail::default_team(exec, column_tile_team);
  TeamShape const team = published::detail::checked_team(name, exec, requested, preset);
  if (team.cols != 1) {
    checks::fail(name, "a thread has a row: a team must be R x 1, found " +
                           published::detail::text_of(team));
  }
  return team;
}

inline bool is_exact(std::string_view name, Tiling tiling, Index rows, Index cols, TeamShape team,
                     Index width) {
  if (tiling == Tiling::inexact) return false;
  bool const fits = rows % team.rows == 0 && cols % width == 0;
  if (tiling == Tiling::exact && !fits) {
    checks::fail(name, "exact tiling needs rows that are a multiple of " +
                           std::to_string(team.rows) + " and columns that are a multiple of " +
                           std::to_string(width) + ", found " + std::to_string(rows) + " x " +
                           std::to_string(cols));
  }
  return fits;
}

template <class Exec, class T, class Width>
void column_tile(Exec const& exec, std::string_view name, Elements<T const, false> const& A,
                 Strided<T const> v, Strided<T> B, VariantOptions<Exec> const& options,
                 TeamShape team, Width width) {
  published::detail::require_scratch<T, Exec>(name, width.value());
  std::string const label = "tessera::" + std::string(name);
  if (is_exact(name, options.tiling, A.rows, A.cols, team, width.value())) {
    run_column_tile<true>(exec, label, A, v, B, team, options.teams, width);
  } else {
    run_column_tile<false>(exec, label, A, v, B, team, options.teams, width);
  }
}

}  // namespace detail
}  // namespace tessera::published::gemv
