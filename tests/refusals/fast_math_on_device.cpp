// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Compiled with nvcc's --use_fast_math.

#include <Kokkos_Core.hpp>

#include <tessera/gemm.hpp>

void multiply(Kokkos::Cuda const& exec, Kokkos::View<float**, Kokkos::Cuda> const& A) {
  tessera::gemm(exec, A, A, A);
}
