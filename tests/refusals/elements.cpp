// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Unsupported elements.

#include <Kokkos_Core.hpp>

#include <tessera/tessera.hpp>

namespace {

template <class T>
using Matrix = Kokkos::View<T**, Kokkos::HostSpace>;
template <class T>
using Vector = Kokkos::View<T*, Kokkos::HostSpace>;

/// As some libraries define it.
struct Half {
  unsigned short bits;
};

}  // namespace

void compute_with_what_is_refused() {
  Kokkos::DefaultHostExecutionSpace const exec;
  Matrix<Half> const halves("halves", 3, 3);
  Vector<Half> const half_vector("half_vector", 3);
  tessera::multiply(exec, halves, half_vector, half_vector);

  Matrix<int> const wholes("wholes", 3, 3);
  Vector<int> const whole_vector("whole_vector", 3);
  tessera::multiply_transposed(exec, wholes, whole_vector, whole_vector);
  tessera::gemm(exec, wholes, wholes, wholes);

  Matrix<Kokkos::complex<float>> const pairs("pairs", 3, 3);
  Vector<Kokkos::complex<float>> const pair_vector("pair_vector", 3);
  tessera::atax(exec, pairs, pair_vector, pair_vector);
}
