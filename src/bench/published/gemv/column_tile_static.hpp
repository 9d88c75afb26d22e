// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/gemv/detail/column_tile.hpp>
#include <concepts>
#include <string>

#include <Kokkos_Core.hpp>

namespace tessera::published::gemv {

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
