// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// On TESSERA_SPACE, which has no folder in backends/. Only compiled (.ci/compile_portable).

#include <Kokkos_Core.hpp>

#include <tessera/stream.hpp>
#include <tessera/stream/aatx.hpp>
#include <tessera/tessera.hpp>

namespace tessera::test {

using Exec = TESSERA_SPACE;
static_assert(!backends::IsAccelerated<Exec>);

template <class T, class Layout>
using MatrixOf = Kokkos::View<T**, Layout, typename Exec::memory_space>;
template <class T>
using VectorOf = Kokkos::View<T*, typename Exec::memory_space>;

template <class T, class Layout>
struct Source {
  using value_type = T;
  using array_layout = Layout;
  [[nodiscard]] static Index rows() { return 3; }
  [[nodiscard]] static Index cols() { return 3; }
  static void read(stream::Block const& /*block*/, T* /*to*/) {}
};

template <class T, class Layout>
void run_all(Exec const& exec, MatrixOf<T, Layout> const& A, MatrixOf<T, Layout> const& B,
             VectorOf<T> const& x, VectorOf<T> const& y, VectorOf<T> const& z) {
  multiply(exec, A, x, y);
  multiply_transposed(exec, A, y, x);
  atax(exec, A, x, z);
  atax(exec, A, x, y, z);
  atax(exec, A, x, y, z, {.map = maps::logistic(y), .alpha = 2, .beta = 3, .z = x});
  atax(exec, A, B, A);
  multiply(exec, A, B, A);
  multiply_transposed(exec, A, B, A);
  multiply_both(exec, A, x, y, z, y);
  aatx(exec, A, y, z);
  dot(exec, x, y, z);
  axpby(exec, T(2), x, T(3), y);
  scale(exec, T(2), x);
  gemm(exec, A, B, A);
  transpose(exec, A, B);
  transpose_in_place(exec, A);
  static_cast<void>(plan_atax<T, Layout>(exec, 3, 3));

  Source<T, Layout> const source;
  stream::multiply(exec, source, x, y);
  stream::multiply_transposed(exec, source, y, x);
  stream::atax(exec, source, x, y, z);
  stream::aatx(exec, source, y, z);
}

template void run_all<float, Kokkos::LayoutRight>(Exec const&,
                                                  MatrixOf<float, Kokkos::LayoutRight> const&,
                                                  MatrixOf<float, Kokkos::LayoutRight> const&,
                                                  VectorOf<float> const&, VectorOf<float> const&,
                                                  VectorOf<float> const&);
template void run_all<double, Kokkos::LayoutLeft>(Exec const&,
                                                  MatrixOf<double, Kokkos::LayoutLeft> const&,
                                                  MatrixOf<double, Kokkos::LayoutLeft> const&,
                                                  VectorOf<double> const&, VectorOf<double> const&,
                                                  VectorOf<double> const&);

}  // namespace tessera::test
