// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/layouts.hpp>
#include <bench/table.hpp>

#include <tessera/atax.hpp>

namespace tessera::bench {
namespace {

template <class Exec, class T, Layout layout>
void add_atax_row(std::string const& name, Method method, Kernels kernels = Kernels::automatic) {
  auto const prepare = [method, kernels](Problem<Exec, T> const& p, Launch const& launch) -> Work {
    return [=, &p, tuning = launch.tuning](int call) {
      AtaxOptions<Exec, T> const options{
          .method = method, .workspace = p.workspace(), .tuning = tuning, .kernels = kernels};
      atax(p.exec, p.template matrix<KokkosLayout<layout>>(call), p.v, p.C, options);
    };
  };
  rows<Exec, T>().push_back({.operation = "atax",
                             .name = name,
                             .kind = Kind::ours,
                             .layout = layout,
                             .matrix_reads = method == Method::two_stage ? 2 : 1,
                             .has_our_bits = true,
                             .repeats = Repeats::always,
                             .prepare = prepare});
}

template <class Exec, class T, Layout layout>
void add_atax_rows() {
  add_atax_row<Exec, T, layout>("tessera auto", Method::automatic);
  add_atax_row<Exec, T, layout>("tessera fused", Method::fused);
  add_atax_row<Exec, T, layout>("tessera two-stage", Method::two_stage);
  add_atax_row<Exec, T, layout>("tessera portable", Method::automatic, Kernels::portable);
}

}  // namespace

void add_atax() {
  for_each_table([]<class Exec, class T>(On<Exec, T>) {
    add_atax_rows<Exec, T, Layout::row_major>();
    add_atax_rows<Exec, T, Layout::column_major>();
  });
}

}  // namespace tessera::bench
