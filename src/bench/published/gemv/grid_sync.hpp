// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bench/published/gemv/detail/halving.hpp>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>

namespace tessera::published::gemv {

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
