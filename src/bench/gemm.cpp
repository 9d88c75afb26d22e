// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/layouts.hpp>
#include <bench/table.hpp>
#include <string>

#include <tessera/gemm.hpp>
#include <tessera/multiply.hpp>

namespace tessera::bench {
namespace {

template <class Exec, class T, Layout layout>
void add_gemm_row(std::string const& name, Kernels kernels) {
  using L = KokkosLayout<layout>;
  auto const prepare = [kernels](Problem<Exec, T> const& p, Launch const& launch) -> Work {
    return [&p, kernels, tuning = launch.gemm](int call) {
      GemmOptions<Exec> const options{
          .workspace = p.workspace(), .tuning = tuning, .kernels = kernels};
      gemm(p.exec, p.template matrix<L>(call), p.template factor<L>(call),
           p.template product<L>(call), options);
    };
  };
  rows<Exec, T>().push_back({.operation = "gemm",
                             .name = name,
                             .kind = Kind::ours,
                             .layout = layout,
                             .has_our_bits = true,
                             .repeats = Repeats::always,
                             .prepare = prepare});
}

/// Sums in the order of products with a vector.
template <class Exec, class T, Layout layout>
void add_block_row() {
  using L = KokkosLayout<layout>;
  auto const prepare = [](Problem<Exec, T> const& p, Launch const&) -> Work {
    return [&p](int call) {
      multiply(p.exec, p.template matrix<L>(call), p.template factor<L>(call),
               p.template product<L>(call), Options<Exec>{.workspace = p.workspace()});
    };
  };
  rows<Exec, T>().push_back({.operation = "gemm",
                             .name = "tessera multiply",
                             .kind = Kind::ours,
                             .layout = layout,
                             .repeats = Repeats::always,
                             .prepare = prepare});
}

}  // namespace

void add_gemm() {
  for_each_table([]<class Exec, class T>(On<Exec, T>) {
    add_gemm_row<Exec, T, Layout::row_major>("tessera", Kernels::automatic);
    add_gemm_row<Exec, T, Layout::row_major>("tessera portable", Kernels::portable);
    add_gemm_row<Exec, T, Layout::column_major>("tessera", Kernels::automatic);
    add_gemm_row<Exec, T, Layout::column_major>("tessera portable", Kernels::portable);
    add_block_row<Exec, T, Layout::row_major>();
    add_block_row<Exec, T, Layout::column_major>();
  });
}

}  // namespace tessera::bench
