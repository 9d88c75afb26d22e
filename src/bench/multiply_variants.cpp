// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/contender.hpp>
#include <bench/published/gemv/table.hpp>
#include <bench/table.hpp>
#include <string>

namespace tessera::bench {
namespace {

namespace gemv = published::gemv;

/// Each variant with and without checks of the tiles' ends.
template <class Exec, class T, Layout layout, class Variant>
void add_multiply_variant_row(Variant const& variant, published::Tiling tiling,
                              std::string const& name) {
  bool const transposed = variant.product == gemv::Product::multiply_transposed;
  // They store a product per element.
  bool const works_in_matrix = variant.name == "repeated-reduction" || variant.name == "grid-sync";
  auto const prepare = [=](Problem<Exec, T> const& p, Launch const& launch) -> Work {
    if (works_in_matrix) p.need_workspace_of_matrix();
    return [=, &p, launch = launch](int call) {
      published::VariantOptions<Exec> const options{.workspace = p.workspace(),
                                                    .team = launch.team,
                                                    .teams = launch.most_teams,
                                                    .tile = launch.tile,
                                                    .tiling = tiling};
      auto const& A = p.template matrix<KokkosLayout<layout>>(call);
      if (transposed) {
        variant.run(p.exec, A, p.b, p.C, options);
      } else {
        variant.run(p.exec, A, p.v, p.B, options);
      }
    };
  };
  rows<Exec, T>().push_back({.operation = transposed ? "multiply_transposed" : "multiply",
                             .name = name,
                             .kind = Kind::variant,
                             .layout = layout,
                             .matrix_reads = 1,
                             .takes_teams = true,
                             .takes_most_teams = true,
                             .takes_tile = variant.has_tile,
                             .repeats = repeats_of(variant.reproducible),
                             .prepare = prepare});
}

template <class Exec, class T, Layout layout>
void add_multiply_variant_rows() {
  using A = MatrixView<Exec, T, KokkosLayout<layout>>;
  using Vector = Kokkos::View<T*, Exec>;
  for (auto const& variant : gemv::table<Exec, A, Vector, Vector>()) {
    std::string const name(variant.name);
    add_multiply_variant_row<Exec, T, layout>(variant, published::Tiling::automatic, name);
    if (!variant.has_tiling) continue;
    add_multiply_variant_row<Exec, T, layout>(variant, published::Tiling::exact, name + " exact");
    add_multiply_variant_row<Exec, T, layout>(variant, published::Tiling::inexact,
                                              name + " inexact");
  }
}

}  // namespace

void add_multiply_variants() {
  for_each_layout([]<class Exec, class T, Layout layout>(On<Exec, T>, In<layout>) {
    add_multiply_variant_rows<Exec, T, layout>();
  });
}

}  // namespace tessera::bench
