// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/gemv/detail/halving.hpp>
#include <string>

#include <Kokkos_Core.hpp>

namespace tessera::published::gemv {

inline constexpr TeamShape repeated_reduction_team{32, 32};

namespace detail {

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

}  // namespace tessera::published::gemv
