// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/contender.hpp>
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
  add_ours<Exec, T>("gemm", name, layout, 1, prepare);
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
  add_ours<Exec, T>("gemm", "tessera multiply", layout, 1, prepare).has_our_bits = false;
}

}  // namespace

void add_gemm() {
  for_each_layout([]<class Exec, class T, Layout layout>(On<Exec, T>, In<layout>) {
    add_gemm_row<Exec, T, layout>("tessera", Kernels::automatic);
    add_gemm_row<Exec, T, layout>("tessera portable", Kernels::portable);
    add_block_row<Exec, T, layout>();
  });
}

}  // namespace tessera::bench
