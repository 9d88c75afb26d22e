// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/gemv/detail/common.hpp>
#include <string>

#include <Kokkos_Core.hpp>

namespace tessera::published::gemv {

inline constexpr TeamShape atomic_team{32, 32};

namespace detail {

template <class Exec, class T, bool RowMajor>
struct Atomic {
  Elements<T const, RowMajor> A;
  Strided<T const> v;
  Strided<T> B;
  Tiles<RowMajor> tiles;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member, Index tile, T*) const {
    Element const e = tiles.element(tile, member.team_rank());
    if (tiles.has(e)) Kokkos::atomic_add(&B[e.row], A(e.row, e.col) * v[e.col]);
  }
};

template <template <class, class, bool> class Kernel, class Exec, class T, bool RowMajor>
void run_atomic(Exec const& exec, std::string const& name, Elements<T const, RowMajor> const& A,
                Strided<T const> v, Strided<T> B, TeamShape team, Index teams, Index scratch) {
  std::string const label = "tessera::" + name;
  set_zero(exec, label + "::zero", B, A.rows);
  Tiles<RowMajor> const tiles{A.rows, A.cols, team};
  published::detail::for_each_tile<T>(exec, label + "::add", tiles.count(), teams, team, scratch,
                                      Kernel<Exec, T, RowMajor>{A, v, B, tiles});
}

}  // namespace detail

/// B = A·v: one thread and one atomic addition per element of A.
///
/// A: m x n, LayoutRight or LayoutLeft; v: n and B: m, any stride. Teams of R x C threads
/// (published: 32 x 32) have a tile of R x C elements. Asynchronous, no fence, no allocation. NOT
/// reproducible.
///
/// @throws std::invalid_argument for sizes, overlap and launches that do not fit
///
/// Source: "atomic", one of four reductions of y = A·x in a project report (Jena, 2021).
template <ExecutionSpace Exec, OrderedMatrixOf<Exec> A, VectorOf<Exec, A> V,
          OutputVectorOf<Exec, A> B>
void atomic(Exec const& exec, A const& a, V const& v, B const& b,
            VariantOptions<Exec> const& options = {}) {
  constexpr auto name = "published::gemv::atomic";
  TeamShape const team = detail::team_of_product(
      name, exec, a, v, b, options, published::detail::default_team(exec, atomic_team));
  detail::run_atomic<detail::Atomic>(exec, name, detail::elements_of(a), detail::input(v),
                                     detail::output(b), team, options.teams, 0);
}

inline constexpr TeamShape team_atomic_team{1, 1024};

namespace detail {

template <class Exec, class T, bool RowMajor>
struct TeamAtomic {
  Elements<T const, RowMajor> A;
  Strided<T const> v;
  Strided<T> B;
  Tiles<RowMajor> tiles;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member, Index tile, T* sProducts) const {
    // scratch: (rows, cols)
    TeamShape const team = tiles.team;
    Place const place = tiles.place(member.team_rank());
    Element const e = tiles.element(tile, member.team_rank());
    sProducts[place.row * team.cols + place.col] = tiles.has(e) ? A(e.row, e.col) * v[e.col] : T(0);
    fold_rows(member, sProducts, team.cols, place);
    if (place.col == 0 && e.row < A.rows) {
      Kokkos::atomic_add(&B[e.row], sProducts[place.row * team.cols]);
    }
    member.team_barrier();
  }
};

}  // namespace detail

/// B = A·v: a team reduces its products in scratch, then adds the sum atomically, once per row.
///
/// As `atomic` (published: all threads in one row).
///
/// Source: "team-atomic" in the report of `atomic`.
template <ExecutionSpace Exec, OrderedMatrixOf<Exec> A, VectorOf<Exec, A> V,
          OutputVectorOf<Exec, A> B>
void team_atomic(Exec const& exec, A const& a, V const& v, B const& b,
                 VariantOptions<Exec> const& options = {}) {
  using T = typename A::non_const_value_type;
  constexpr auto name = "published::gemv::team_atomic";
  TeamShape const team = detail::team_of_product(
      name, exec, a, v, b, options, published::detail::default_team(exec, team_atomic_team));
  published::detail::require_scratch<T, Exec>(name, team.threads());
  detail::run_atomic<detail::TeamAtomic>(exec, name, detail::elements_of(a), detail::input(v),
                                         detail::output(b), team, options.teams, team.threads());
}

}  // namespace tessera::published::gemv
