// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/backend.hpp>

// The only place that asks which backends Kokkos was built with.
#if defined(KOKKOS_ENABLE_SERIAL)
#include <tessera/backends/serial/serial.hpp>
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
#include <tessera/backends/openmp/openmp.hpp>
#endif

namespace tessera::backends {

/// Calls visit(std::type_identity<Exec>{}) for every backend of this build that Tessera supports.
template <class Visitor>
void for_each_backend(Visitor&& visit) {
#if defined(KOKKOS_ENABLE_SERIAL)
  visit(std::type_identity<Kokkos::Serial>{});
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
  visit(std::type_identity<Kokkos::OpenMP>{});
#endif
}

}  // namespace tessera::backends
