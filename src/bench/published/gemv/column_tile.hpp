// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/gemv/detail/common.hpp>
#include <concepts>
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

/// B = A·v for a column-major A: one thread per row, v in a scratch tile whose size is chosen at
/// run time.
///
/// As `atomic`, with teams of R x 1 threads (published: 128). Published `tile`: as many
/// columns as threads. Reproducible: each B[i] is one chain of fma over the columns in order.
///
/// Source: "Matrix-vector multiplication using shared memory", a web article (2014), with a tile in
/// dynamic shared memory.
template <ExecutionSpace Exec, OrderedMatrixOf<Exec> A, VectorOf<Exec, A> V,
          OutputVectorOf<Exec, A> B>
  requires std::same_as<typename A::array_layout, Kokkos::LayoutLeft>
void column_tile_dynamic(Exec const& exec, A const& a, V const& v, B const& b,
                         VariantOptions<Exec> const& options = {}) {
  constexpr auto name = "published::gemv::column_tile_dynamic";
  detail::require_product(name, a, v, b);
  published::detail::require_teams(name, options);
  TeamShape const team = detail::column_team(name, exec, options.team);
  published::detail::require_tile(name, options.tile);
  detail::DynamicWidth const width{options.tile > 0 ? options.tile : column_tile_width};
  detail::column_tile(exec, name, detail::elements_of(a), detail::input(v), detail::output(b),
                      options, team, width);
}

/// As `column_tile_dynamic`, with equal bits and a tile of 32, 128 or 512.
///
/// Source: as of `column_tile_dynamic`, with a tile in static shared memory.
template <ExecutionSpace Exec, OrderedMatrixOf<Exec> A, VectorOf<Exec, A> V,
          OutputVectorOf<Exec, A> B>
  requires std::same_as<typename A::array_layout, Kokkos::LayoutLeft>
void column_tile_static(Exec const& exec, A const& a, V const& v, B const& b,
                        VariantOptions<Exec> const& options = {}) {
  constexpr auto name = "published::gemv::column_tile_static";
  detail::require_product(name, a, v, b);
  published::detail::require_teams(name, options);
  TeamShape const team = detail::column_team(name, exec, options.team);
  auto const run = [&](auto width) {
    detail::column_tile(exec, name, detail::elements_of(a), detail::input(v), detail::output(b),
                        options, team, width);
  };
  switch (options.tile == 0 ? column_tile_width : options.tile) {
    case 32:
      return run(detail::StaticWidth<32>{});
    case 128:
      return run(detail::StaticWidth<128>{});
    case 512:
      return run(detail::StaticWidth<512>{});
    default:
      checks::fail(name, "tiles of 32, 128 and 512 columns were compiled, found " +
                             std::to_string(options.tile));
  }
}

}  // namespace tessera::published::gemv
