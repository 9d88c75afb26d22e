// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/layouts.hpp>
#include <bench/table.hpp>
#include <string>

#include <tessera/multiply_transposed.hpp>

namespace tessera::bench {
namespace {

template <class Exec, class T, Layout layout>
void add_multiply_transposed_row(std::string const& name, Kernels kernels) {
  auto const prepare = [kernels](Problem<Exec, T> const& p, Launch const& launch) -> Work {
    return [=, &p, tuning = launch.tuning](int call) {
      Options<Exec> const options{.workspace = p.workspace(), .tuning = tuning, .kernels = kernels};
      multiply_transposed(p.exec, p.template matrix<KokkosLayout<layout>>(call), p.b, p.C, options);
    };
  };
  rows<Exec, T>().push_back({.operation = "multiply_transposed",
                             .name = name,
                             .kind = Kind::ours,
                             .layout = layout,
                             .matrix_reads = 1,
                             .has_our_bits = true,
                             .repeats = Repeats::always,
                             .prepare = prepare});
}

}  // namespace

void add_multiply_transposed() {
  for_each_table([]<class Exec, class T>(On<Exec, T>) {
    add_multiply_transposed_row<Exec, T, Layout::row_major>("tessera", Kernels::automatic);
    add_multiply_transposed_row<Exec, T, Layout::row_major>("tessera portable", Kernels::portable);
    add_multiply_transposed_row<Exec, T, Layout::column_major>("tessera", Kernels::automatic);
    add_multiply_transposed_row<Exec, T, Layout::column_major>("tessera portable",
                                                               Kernels::portable);
  });
}

}  // namespace tessera::bench
