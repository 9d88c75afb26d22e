// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/gemv/detail/column_tile.hpp>
#include <concepts>
#include <string>

#include <Kokkos_Core.hpp>

namespace tessera::published::gemv {

/// B = A·v for a column-major A: one thread per row, v in a scratch tile of compile-time size
///
/// | argument | shape | |
/// |---|---|---|
/// | exec | | execution space instance that does the work |
/// | A | m x n | in: LayoutLeft, any leading dimension, m, n >= 1 |
/// | v | n | in: any stride |
/// | B | m | out: any stride, overwritten |
/// | options | | team, teams and the options below |
///
/// Options: teams of R x 1 threads (published: 128) each have R rows; `tile`, which is 32, 128 or
/// 512: columns of v in scratch (published: as many as threads); `tiling`: with or without checks
/// of the ends; `teams`: most teams that share the rows.
///
/// Teaches the value of a size known to the compiler: the loop over a whole tile has a constant
/// number of iterations and unrolls. Kokkos allocates the scratch at launch in either case.
///
/// Work and traffic: 2mn flop; mn + n·ceil(m / R) + m scalars.
///
/// Guarantees: asynchronous in `exec`; no fence and no allocation. Reproducible: the bits of
/// `column_tile_dynamic`, for every team, tile, tiling and execution space. Throws
/// std::invalid_argument for sizes that do not fit, overlap, a team that is not R x 1 or that the
/// execution space cannot give, a tile that was not compiled, or exact tiling of sizes that are no
/// multiples of team and tile.
///
/// Source: "Matrix-vector multiplication using shared memory", a web article (2014), with a tile in
/// static shared memory.
template <ExecutionSpace Exec, OrderedMatrixOf<Exec> A, VectorOf<Exec, A> V,
          OutputVectorOf<Exec, A> B>
  requires std::same_as<typename A::array_layout, Kokkos::LayoutLeft>
void column_tile_static(Exec const& exec, A const& a, V const& v, B const& b,
                        VariantOptions<Exec> const& options = {}) {
  constexpr auto name = "published::gemv::column_tile_static";
  detail::require_product(name, a, v, b);
  published::detail::require_teams(name, options);
  Team const team = detail::column_team(name, exec, options.team);
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
