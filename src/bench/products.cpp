// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
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
  auto const add = [&](std::string const& name, Kernels kernels) {
    add_ours<Exec, T>(operation, name, layout, 1,
                      [run, kernels](Problem<Exec, T> const& p, Launch const& launch) -> Work {
                        return [=, &p, tuning = launch.tuning](int call) {
                          Options<Exec> const options{
                              .workspace = p.workspace(), .tuning = tuning, .kernels = kernels};
                          run(p, p.template matrix<KokkosLayout<layout>>(call), options);
                        };
                      });
  };
  add("tessera", Kernels::automatic);
  add("tessera portable", Kernels::portable);
}

}  // namespace

void add_products() {
  for_each_layout([]<class Exec, class T, Layout layout>(On<Exec, T>, In<layout>) {
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
  });
}

}  // namespace tessera::bench
