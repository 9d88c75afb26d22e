// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <omp.h>

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/backend.hpp>

namespace tessera::backends {

template <>
struct Backend<Kokkos::OpenMP> : HostBackend<Kokkos::OpenMP> {
  static constexpr char const* name = "openmp";

  static bool has_all_threads(Kokkos::OpenMP const& exec) {
    if (exec.concurrency() == 1) return true;  // the calling thread
    // The limit includes an enclosing region's threads.
    return ::omp_get_dynamic() == 0 && ::omp_get_active_level() < ::omp_get_max_active_levels() &&
           ::omp_get_thread_limit() / ::omp_get_num_threads() >= exec.concurrency();
  }
};

}  // namespace tessera::backends
