// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/backend.hpp>

namespace tessera::backends {

template <>
struct Backend<Kokkos::Serial> : HostBackend<Kokkos::Serial> {
  static constexpr char const* name = "serial";

  static bool has_all_threads(Kokkos::Serial const& /*exec*/) { return true; }
};

}  // namespace tessera::backends
