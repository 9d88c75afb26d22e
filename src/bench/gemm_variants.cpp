// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/contender.hpp>
#include <bench/published/gemm/table.hpp>
#include <bench/table.hpp>
#include <string>

namespace tessera::bench {
namespace {

template <class Exec, class T, Layout layout, class Variant>
void add_gemm_variant_row(Variant const& variant) {
  using L = KokkosLayout<layout>;
  auto const prepare = [=](Problem<Exec, T> const& p, Launch const& launch) -> Work {
    return [=, &p, options = published::gemm::Options{.team = launch.team, .tile = launch.tile}](
               int call) {
      variant.run(p.exec, p.template matrix<L>(call), p.template factor<L>(call),
                  p.template product<L>(call), options);
    };
  };
  rows<Exec, T>().push_back({.operation = "gemm",
                             .name = std::string(variant.name),
                             .kind = Kind::variant,
                             .layout = layout,
                             .takes_teams = variant.has_team(),
                             .takes_tile = variant.has_tile,
                             .repeats = repeats_of(variant.reproducible),
                             .prepare = prepare});
}

}  // namespace

void add_gemm_variants() {
  for_each_layout([]<class Exec, class T, Layout layout>(On<Exec, T>, In<layout>) {
    using Matrix = MatrixView<Exec, T, KokkosLayout<layout>>;
    for (auto const& variant : published::gemm::table<Exec, Matrix, Matrix, Matrix>()) {
      add_gemm_variant_row<Exec, T, layout>(variant);
    }
  });
}

}  // namespace tessera::bench
