// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Calls everything that the library has compiled, for weak_symbols.cmake.

#include <cstddef>

#include <tessera/solve.hpp>
#include <tessera/stream.hpp>
#include <tessera/stream/aatx.hpp>
#include <tessera/tessera.hpp>

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Space = Exec::memory_space;

template <class T, class Layout>
void call_all() {
  Exec const exec;
  Kokkos::View<T**, Layout, Space> const A("A", 4, 4), At("At", 4, 4), V("V", 4, 2), W("W", 4, 2);
  Kokkos::View<T*, Space> const v("v", 4), b("b", 4), c("c", 4), y("y", 4);
  tessera::Workspace<Exec> workspace;
  tessera::atax(exec, A, v, c, {.workspace = &workspace, .map = tessera::maps::logistic(y)});
  tessera::atax(exec, A, v, b, c);
  tessera::atax(exec, A, V, W);
  tessera::multiply(exec, A, v, b);
  tessera::multiply(exec, A, V, W);
  tessera::multiply_transposed(exec, A, b, c);
  tessera::multiply_transposed(exec, A, V, W);
  tessera::multiply_both(exec, A, v, y, b, c);
  tessera::aatx(exec, A, b, c);
  tessera::aatx(exec, A, V, W);
  tessera::gemm(exec, A, A, At);
  tessera::transpose(exec, A, At);
  tessera::dot(exec, v, y);
  tessera::axpby(exec, T(1), v, T(2), c);
  tessera::scale(exec, T(2), c);

  auto const source =
      tessera::stream::make_source<T, Layout>(4, 4, [](tessera::stream::Block const& block, T* to) {
        for (tessera::Index i = 0; i < block.rows * block.cols; ++i) to[i] = T(1);
      });
  tessera::stream::atax(exec, source, v, b, c, {}, {.map = tessera::maps::poisson(y)});
  tessera::stream::atax(exec, source, V, W);
  tessera::stream::multiply(exec, source, v, b);
  tessera::stream::multiply_transposed(exec, source, b, c);
  tessera::stream::multiply_both(exec, source, v, y, b, c);
  tessera::stream::aatx(exec, source, b, c);

  tessera::solve::StreamOperator<Exec, decltype(source)> const streamed(exec, source);
  tessera::solve::lsmr<Exec, T>(streamed, b);
  tessera::solve::pca<Exec, T>(streamed, 1);
}

}  // namespace

int main() {
  Kokkos::ScopeGuard const scope;
  call_all<float, Kokkos::LayoutRight>();
  call_all<double, Kokkos::LayoutLeft>();
}
