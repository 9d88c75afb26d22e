// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/contender.hpp>
#include <bench/peers.hpp>
#include <bench/table.hpp>

#include <KokkosBlas2_gemv.hpp>
#include <KokkosBlas3_gemm.hpp>

namespace tessera::bench {
namespace {

template <class Exec, class T, Layout layout>
struct KokkosGemv {
  Problem<Exec, T> const* p;

  void multiply(int call, auto const& x) const { run(call, "N", x, p->B); }
  void multiply_transposed(int call, auto const& x) const { run(call, "T", x, p->C); }

 private:
  void run(int call, char const* transpose, auto const& x, auto const& y) const {
    KokkosBlas::gemv(p->exec, transpose, T(1), p->template matrix<KokkosLayout<layout>>(call), x,
                     T(0), y);
  }
};

}  // namespace

void add_kokkos_kernels() {
  list_of_peers().emplace_back("Kokkos Kernels");
  for_each_layout([]<class Exec, class T, Layout layout>(On<Exec, T>, In<layout>) {
    using P = Problem<Exec, T>;
    add_products_of<Exec, T>("kokkos-kernels", layout,
                             [](P const& p) { return KokkosGemv<Exec, T, layout>{&p}; });
    auto const prepare = [](P const& p, Launch const&) -> Work {
      return [&p](int call) {
        using L = KokkosLayout<layout>;
        KokkosBlas::gemm(p.exec, "N", "N", T(1), p.template matrix<L>(call),
                         p.template factor<L>(call), T(0), p.template product<L>(call));
      };
    };
    add_peer<Exec, T>("gemm", "kokkos-kernels", layout, 1, prepare);
  });
}

}  // namespace tessera::bench
