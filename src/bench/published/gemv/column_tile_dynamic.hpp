// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/gemv/detail/column_tile.hpp>
#include <concepts>
#include <string>

#include <Kokkos_Core.hpp>

namespace tessera::published::gemv {

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

}  // namespace tessera::published::gemv
