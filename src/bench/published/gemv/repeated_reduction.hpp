// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bench/published/gemv/detail/common.hpp>
#include <cstddef>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/workspace.hpp>

namespace tessera::published::gemv {

inline constexpr TeamShape repeated_reduction_team{32, 32};

namespace detail {

/// Adds the right half of each row of products to the left one until one column is left.
template <class T, bool RowMajor>
struct Halving {
  Elements<T const, RowMajor> A;
  Strided<T const> v;
  Elements<T, RowMajor> buffer;
  Strided<T> B;
  TeamShape team;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION static Index half(Index length) { return (length + 1) / 2; }

  [[nodiscard]] KOKKOS_INLINE_FUNCTION Tiles<RowMajor> product_tiles() const {
    return {A.rows, A.cols, team};
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Tiles<RowMajor> half_tiles(Index length) const {
    return {A.rows, length - half(length), team};
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Tiles<RowMajor> store_tiles() const {
    return {A.rows, 1, {static_cast<int>(team.threads()), 1}};
  }

  KOKKOS_INLINE_FUNCTION void multiply(Index tile, int thread) const {
    auto const tiles = product_tiles();
    Element const e = tiles.element(tile, thread);
    if (tiles.has(e)) buffer(e.row, e.col) = A(e.row, e.col) * v[e.col];
  }
  /// No thread reads what another one writes.
  KOKKOS_INLINE_FUNCTION void halve(Index length, Index tile, int thread) const {
    auto const tiles = half_tiles(length);
    Element const e = tiles.element(tile, thread);
    if (tiles.has(e)) buffer(e.row, e.col) += buffer(e.row, e.col + half(length));
  }
  KOKKOS_INLINE_FUNCTION void store(Index tile, int thread) const {
    auto const tiles = store_tiles();
    Element const e = tiles.element(tile, thread);
    if (tiles.has(e)) B[e.row] = buffer(e.row, 0) + T(0);
  }
};

template <class Exec, class T, bool RowMajor>
Halving<T, RowMajor> halving(Exec const& exec, tessera::detail::WorkspaceOfCall<Exec>& workspace,
                             Elements<T const, RowMajor> const& A, Strided<T const> v, Strided<T> B,
                             TeamShape team) {
  auto const size = static_cast<std::size_t>(A.rows) * static_cast<std::size_t>(A.cols);
  T* const data = reinterpret_cast<T*>(workspace.reserve(exec, size * sizeof(T)).data);
  return {A, v, {data, A.rows, A.cols, RowMajor ? A.cols : A.rows}, B, team};
}

template <class Exec, class T, bool RowMajor>
struct HalvingProducts {
  Halving<T, RowMajor> steps;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member, Index tile, T*) const {
    steps.multiply(tile, member.team_rank());
  }
};

template <class Exec, class T, bool RowMajor>
struct HalvingStep {
  Halving<T, RowMajor> steps;
  Index length;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member, Index tile, T*) const {
    steps.halve(length, tile, member.team_rank());
  }
};

template <class Exec, class T, bool RowMajor>
struct HalvingStore {
  Halving<T, RowMajor> steps;

  KOKKOS_FUNCTION void operator()(Member<Exec> const& member, Index tile, T*) const {
    steps.store(tile, member.team_rank());
  }
};

template <class Exec, class T, bool RowMajor>
void run_repeated_reduction(Exec const& exec, std::string const& label,
                            Halving<T, RowMajor> const& steps, Index teams) {
  TeamShape const team = steps.team;
  published::detail::for_each_tile<T>(exec, label + "::products", steps.product_tiles().count(),
                                      teams, team, 0, HalvingProducts<Exec, T, RowMajor>{steps});
  for (Index length = steps.A.cols; length > 1; length = steps.half(length)) {
    published::detail::for_each_tile<T>(exec, label + "::halve", steps.half_tiles(length).count(),
                                        teams, team, 0,
                                        HalvingStep<Exec, T, RowMajor>{steps, length});
  }
  published::detail::for_each_tile<T>(exec, label + "::store", steps.store_tiles().count(), teams,
                                      team, 0, HalvingStore<Exec, T, RowMajor>{steps});
}

}  // namespace detail

/// B = A·v: products into a buffer as large as A, then a kernel that halves it, launched ceil(log2
/// n) times. Moves about 5mn scalars.
///
/// As `atomic`, with a workspace of mn scalars. Reproducible: the order depends on n alone.
///
/// Source: "repeated-reduction" in the report of `atomic`.
template <ExecutionSpace Exec, OrderedMatrixOf<Exec> A, VectorOf<Exec, A> V,
          OutputVectorOf<Exec, A> B>
void repeated_reduction(Exec const& exec, A const& a, V const& v, B const& b,
                        VariantOptions<Exec> const& options = {}) {
  constexpr auto name = "published::gemv::repeated_reduction";
  TeamShape const team = detail::team_of_product(
      name, exec, a, v, b, options, published::detail::default_team(exec, repeated_reduction_team));
  tessera::detail::WorkspaceOfCall<Exec> workspace(options.workspace);
  auto const steps = detail::halving(exec, workspace, detail::elements_of(a), detail::input(v),
                                     detail::output(b), team);
  detail::run_repeated_reduction(exec, std::string("tessera::") + name, steps, options.teams);
}

inline constexpr TeamShape grid_sync_team{32, 32};

namespace detail {

template <class T, bool RowMajor>
struct HalveTogether {
  Halving<T, RowMajor> steps;

  template <class Grid>
  KOKKOS_FUNCTION void operator()(Grid const& grid) const {
    int const thread = grid.thread();
    Index const products = steps.product_tiles().count();
    for (Index tile = grid.team(); tile < products; tile += grid.teams()) {
      steps.multiply(tile, thread);
    }
    for (Index length = steps.A.cols; length > 1; length = steps.half(length)) {
      grid.sync();
      Index const halves = steps.half_tiles(length).count();
      for (Index tile = grid.team(); tile < halves; tile += grid.teams()) {
        steps.halve(length, tile, thread);
      }
    }
    grid.sync();
    Index const stores = steps.store_tiles().count();
    for (Index tile = grid.team(); tile < stores; tile += grid.teams()) steps.store(tile, thread);
  }
};

}  // namespace detail

template <class Exec>
TeamShape grid_sync_default_team(Exec const& exec) {
  return backends::Backend<Exec>::is_gpu ? published::detail::default_team(exec, grid_sync_team)
                                         : TeamShape{1, published::detail::most_threads(exec)};
}

/// B = A·v: `repeated_reduction` with equal bits, in one launch with ceil(log2 n) + 1 grid-wide
/// barriers.
///
/// `teams`: at most the resident ones; 0: all of them. A cooperative launch on CUDA; on a host the
/// grid is one team.
///
/// Source: "grid-sync" in the report of `atomic`.
template <ExecutionSpace Exec, OrderedMatrixOf<Exec> A, VectorOf<Exec, A> V,
          OutputVectorOf<Exec, A> B>
void grid_sync(Exec const& exec, A const& a, V const& v, B const& b,
               VariantOptions<Exec> const& options = {}) {
  using T = typename A::non_const_value_type;
  using Backend = backends::Backend<Exec>;
  using Body = detail::HalveTogether<T, tessera::detail::is_row_major<A>>;
  constexpr auto name = "published::gemv::grid_sync";
  TeamShape const team =
      detail::team_of_product(name, exec, a, v, b, options, grid_sync_default_team(exec));
  auto const threads = static_cast<int>(team.threads());
  Index const resident = Backend::template teams_together<Body>(exec, threads);
  Index const wanted = options.teams > 0 ? options.teams : std::max(resident, Index{1});
  if (wanted > resident) {
    checks::fail(name, std::to_string(wanted) + " teams of " + published::detail::text_of(team) +
                           " threads cannot wait for each other: " + Backend::name + " runs " +
                           std::to_string(resident) + " of them at a time");
  }
  published::detail::require_all_threads(name, exec);
  tessera::detail::WorkspaceOfCall<Exec> workspace(options.workspace);
  Body const body{detail::halving(exec, workspace, detail::elements_of(a), detail::input(v),
                                  detail::output(b), team)};
  Backend::run_together(exec, std::string("tessera::") + name, threads,
                        std::min(wanted, body.steps.product_tiles().count()), body);
}

}  // namespace tessera::published::gemv
