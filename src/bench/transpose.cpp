// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/table.hpp>
#include <string>

#include <tessera/transpose.hpp>

namespace tessera::bench {
namespace {

template <class Exec, class T>
void add_transpose_row(std::string const& name, Kernels kernels) {
  auto const prepare = [kernels](Problem<Exec, T> const& p, Launch const& launch) -> Work {
    p.need_target();
    return [&p, kernels, tuning = launch.transpose](int call) {
      auto const n = static_cast<std::size_t>(p.shape.cols);
      auto const m = static_cast<std::size_t>(p.shape.rows);
      MatrixView<Exec, T, Kokkos::LayoutRight> const whole(
          p.target_of(call), n, static_cast<std::size_t>(p.target_leading()));
      auto const At = Kokkos::subview(whole, Kokkos::ALL, std::make_pair(std::size_t{0}, m));
      transpose(p.exec, p.template matrix<Kokkos::LayoutRight>(call), At,
                {.tuning = tuning, .kernels = kernels});
    };
  };
  add_ours<Exec, T>("transpose", name, Layout::row_major, 2, prepare);
}

}  // namespace

void add_transpose() {
  for_each_table([]<class Exec, class T>(On<Exec, T>) {
    add_transpose_row<Exec, T>("tessera", Kernels::automatic);
    add_transpose_row<Exec, T>("tessera portable", Kernels::portable);
  });
}

}  // namespace tessera::bench
