// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/backend.hpp>

namespace tessera::backends {

/// Threads of one process.
template <>
struct Backend<Kokkos::OpenMP> : HostBackend<Kokkos::OpenMP> {
  static constexpr char const* name = "openmp";
};

}  // namespace tessera::backends
