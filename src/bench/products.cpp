// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/layouts.hpp>
#include <bench/table.hpp>
#include <string>

#include <tessera/aatx.hpp>
#include <tessera/multiply.hpp>
#include <tessera/multiply_both.hpp>
#include <tessera/multiply_transposed.hpp>

namespace tessera::bench {
namespace {

template <class Exec, class T, Layout layout, class Run>
void add_rows_of(std::string const& operation, Run const& run) {
  using P = Problem<Exec, T>;
  auto const add = [&](std::string const& name, Kernels kernels) {
    auto const prepare = [run, kernels](P const& p, Launch const& launch) -> Work {
      return [=, &p, tuning = launch.tuning](int call) {
        Options<Exec> const options{
            .workspace = p.workspace(), .tuning = tuning, .kernels = kernels};
        run(p, p.template matrix<KokkosLayout<layout>>(call), options);
      };
    };
    rows<Exec, T>().push_back({.operation = operation,
                               .name = name,
                               .kind = Kind::ours,
                               .layout = layout,
                               .matrix_reads = 1,
                               .has_our_bits = true,
                               .repeats = Repeats::always,
                               .prepare = prepare});
  };
  add("tessera", Kernels::automatic);
  add("tessera portable", Kernels::portable);
}

template <class Exec, class T, Layout layout>
void add_rows() {
  add_rows_of<Exec, T, layout>("aatx", [](auto const& p, auto const& A, auto const& options) {
    aatx(p.exec, A, p.b, p.B, options);
  });
  add_rows_of<Exec, T, layout>("multiply", [](auto const& p, auto const& A, auto const& options) {
    multiply(p.exec, A, p.v, p.B, options);
  });
  add_rows_of<Exec, T, layout>("multiply_transposed",
                               [](auto const& p, auto const& A, auto const& options) {
                                 multiply_transposed(p.exec, A, p.b, p.C, options);
                               });
  add_rows_of<Exec, T, layout>("multiply_both",
                               [](auto const& p, auto const& A, auto const& options) {
                                 multiply_both(p.exec, A, p.v, p.b, p.B, p.C, options);
                               });
}

}  // namespace

void add_products() {
  for_each_table([]<class Exec, class T>(On<Exec, T>) {
    add_rows<Exec, T, Layout::row_major>();
    add_rows<Exec, T, Layout::column_major>();
  });
}

}  // namespace tessera::bench
