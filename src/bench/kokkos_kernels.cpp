// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/layouts.hpp>
#include <bench/table.hpp>

#include <KokkosBlas2_gemv.hpp>
#include <KokkosBlas3_gemm.hpp>

namespace tessera::bench {
namespace {

template <class Exec, class T, Layout layout>
void add_rows() {
  using P = Problem<Exec, T>;
  auto const multiply = [](P const& p, int call) {
    KokkosBlas::gemv(p.exec, "N", T(1), p.template matrix<KokkosLayout<layout>>(call), p.v, T(0),
                     p.B);
  };
  auto const transposed = [](P const& p, int call, auto const& x) {
    KokkosBlas::gemv(p.exec, "T", T(1), p.template matrix<KokkosLayout<layout>>(call), x, T(0),
                     p.C);
  };
  auto const add = [](std::string const& operation, int reads, auto const& run) {
    rows<Exec, T>().push_back({.operation = operation,
                               .name = "kokkos-kernels",
                               .kind = Kind::peer,
                               .layout = layout,
                               .matrix_reads = reads,
                               .prepare = [=](P const& p, Launch const&) -> Work {
                                 return [=, &p](int call) { run(p, call); };
                               }});
  };
  add("atax", 2, [=](P const& p, int call) {
    multiply(p, call);
    transposed(p, call, p.B);
  });
  add("multiply_both", 2, [=](P const& p, int call) {
    multiply(p, call);
    transposed(p, call, p.b);
  });
  add("multiply", 1, multiply);
  add("gemm", 1, [](P const& p, int call) {
    using L = KokkosLayout<layout>;
    KokkosBlas::gemm(p.exec, "N", "N", T(1), p.template matrix<L>(call), p.template factor<L>(call),
                     T(0), p.template product<L>(call));
  });
  add("multiply_transposed", 1, [=](P const& p, int call) { transposed(p, call, p.b); });
}

}  // namespace

void add_kokkos_kernels() {
  list_of_peers().emplace_back("Kokkos Kernels");
  for_each_table([]<class Exec, class T>(On<Exec, T>) {
    add_rows<Exec, T, Layout::row_major>();
    add_rows<Exec, T, Layout::column_major>();
  });
}

}  // namespace tessera::bench
