// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Calls that users often try.

#include <Kokkos_Core.hpp>

#include <tessera/tessera.hpp>

void call_what_is_refused() {
  Kokkos::DefaultHostExecutionSpace const exec;
  Kokkos::View<Kokkos::complex<double>**, Kokkos::HostSpace> const numbers("numbers", 3, 3);
  Kokkos::View<Kokkos::complex<double>*, Kokkos::HostSpace> const y("y", 3);
  tessera::atax(exec, numbers, y, y);

  struct Three {
    char bytes[3];
  };
  Kokkos::View<Three**, Kokkos::HostSpace> const odd("odd", 3, 3);
  tessera::transpose(exec, odd, odd);
}
