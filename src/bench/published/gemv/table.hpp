// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/published/gemv/atomic.hpp>
#include <bench/published/gemv/column_tile.hpp>
#include <bench/published/gemv/ex3.hpp>
#include <bench/published/gemv/repeated_reduction.hpp>
#include <concepts>
#include <string_view>
#include <vector>

#include <Kokkos_Core.hpp>

/// All variants of matrix-vector products.
namespace tessera::published::gemv {

enum class Product {
  multiply,             ///< B = A·v
  multiply_transposed,  ///< C = Aᵀ·B
};

enum class Layouts { both, column_major };

enum class Teams {
  any,         ///< R x C
  one_column,  ///< R x 1
};

template <class Exec, class A, class Input, class Output>
struct Variant {
  using Run = void (*)(Exec const&, A const&, Input const&, Output const&,
                       VariantOptions<Exec> const&);

  std::string_view name;
  Product product = Product::multiply;
  Layouts layouts = Layouts::both;
  Teams teams = Teams::any;
  bool has_tile = false;
  bool has_tiling = false;
  bool has_buffer = false;  ///< needs a buffer of mn scalars
  Reproducible reproducible;
  TeamShape (*default_team)(Exec const&);  ///< for VariantOptions{}
  Run run;

  [[nodiscard]] bool takes(Exec const& exec, TeamShape team) const {
    return team.rows >= 1 && team.cols >= 1 &&
           team.threads() <= published::detail::most_threads(exec) &&
           (teams == Teams::any || team.cols == 1);
  }
};

template <ExecutionSpace Exec, OrderedMatrixOf<Exec> A, VectorOf<Exec, A> Input,
          OutputVectorOf<Exec, A> Output>
std::vector<Variant<Exec, A, Input, Output>> table() {
  using published::detail::default_team;
  std::vector<Variant<Exec, A, Input, Output>> rows{
      {.name = "ex3",
       .has_tile = true,
       .reproducible = Reproducible::with_equal_launch,
       .default_team = [](Exec const& exec) { return default_team(exec, ex3_team); },
       .run = &ex3<Exec, A, Input, Output>},
      {.name = "ex3",
       .product = Product::multiply_transposed,
       .has_tile = true,
       .reproducible = Reproducible::with_equal_launch,
       .default_team = [](Exec const& exec) { return default_team(exec, ex3_team); },
       .run = &ex3_transposed<Exec, A, Input, Output>},
      {.name = "repeated-reduction",
       .has_buffer = true,
       .reproducible = Reproducible::always,
       .default_team = [](Exec const& exec) { return default_team(exec, repeated_reduction_team); },
       .run = &repeated_reduction<Exec, A, Input, Output>},
      {.name = "team-atomic",
       .reproducible = Reproducible::no,
       .default_team = [](Exec const& exec) { return default_team(exec, team_atomic_team); },
       .run = &team_atomic<Exec, A, Input, Output>},
      {.name = "atomic",
       .reproducible = Reproducible::no,
       .default_team = [](Exec const& exec) { return default_team(exec, atomic_team); },
       .run = &atomic<Exec, A, Input, Output>},
      {.name = "grid-sync",
       .has_buffer = true,
       .reproducible = Reproducible::always,
       .default_team = [](Exec const& exec) { return grid_sync_default_team(exec); },
       .run = &grid_sync<Exec, A, Input, Output>},
  };
  if constexpr (std::same_as<typename A::array_layout, Kokkos::LayoutLeft>) {
    auto const add = [&](char const* name, auto* run) {
      rows.push_back(
          {.name = name,
           .layouts = Layouts::column_major,
           .teams = Teams::one_column,
           .has_tile = true,
           .has_tiling = true,
           .reproducible = Reproducible::always,
           .default_team = [](Exec const& exec) { return default_team(exec, column_tile_team); },
           .run = run});
    };
    add("column-tile-static", &column_tile_static<Exec, A, Input, Output>);
    add("column-tile-dynamic", &column_tile_dynamic<Exec, A, Input, Output>);
  }
  return rows;
}

}  // namespace tessera::published::gemv
