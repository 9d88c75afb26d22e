// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/published/transpose.hpp>
#include <bench/table.hpp>
#include <string>

namespace tessera::bench {
namespace {

published::Block block_of(published::TeamShape team) {
  return team == published::TeamShape{} ? published::Block{}
                                        : published::Block{team.rows, team.cols};
}

template <class Exec, class T>
void add_transpose_variant_row(published::TransposeVariant<Exec, T> const& variant) {
  auto const prepare = [variant](Problem<Exec, T> const& p, Launch const& launch) -> Work {
    p.need_target();
    return [=, &p, block = block_of(launch.team)](int call) {
      auto const rows = static_cast<std::size_t>(variant.is_copy ? p.shape.rows : p.shape.cols);
      auto const cols = static_cast<std::size_t>(variant.is_copy ? p.shape.cols : p.shape.rows);
      auto const padding = static_cast<std::size_t>(p.shape.padding);
      published::TransposeOutput<Exec, T> const whole(p.target_of(call), rows, cols + padding);
      published::TransposeOutput<Exec, T> const out = Kokkos::subview(
          whole, std::make_pair(std::size_t{0}, rows), std::make_pair(std::size_t{0}, cols));
      variant.run(p.exec, p.template matrix<Kokkos::LayoutRight>(call), out, block);
    };
  };
  rows<Exec, T>().push_back({.operation = "transpose",
                             .name = std::string(variant.name),
                             .kind = Kind::variant,
                             .matrix_reads = 2,
                             .has_our_bits = true,
                             .takes_teams = true,
                             .is_copy = variant.is_copy,
                             .repeats = Repeats::always,
                             .prepare = prepare});
}

}  // namespace

void add_transpose_variants() {
  for_each_table([]<class Exec, class T>(On<Exec, T>) {
    for (auto const& variant : published::transpose_variants<Exec, T>())
      add_transpose_variant_row<Exec, T>(variant);
  });
}

}  // namespace tessera::bench
