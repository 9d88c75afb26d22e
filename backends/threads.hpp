// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

#include <tessera/backends/host/threads.hpp>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <tessera/backends/openmp/threads.hpp>
#endif

/// The threads of a machine, for the time before Kokkos is initialised: it counts on as many as it
/// is told, whether they start or not.
namespace tessera::backends {

/// Whether Kokkos can have more than one thread on the host.
#if defined(KOKKOS_ENABLE_OPENMP)
inline constexpr bool has_host_threads = true;
#else
inline constexpr bool has_host_threads = false;
#endif

/// How many of `wanted` threads (0: as many as the environment says) Kokkos can have on the host.
inline HostThreads survey_host_threads([[maybe_unused]] int wanted) {
#if defined(KOKKOS_ENABLE_OPENMP)
  return openmp::survey_threads(wanted);
#else
  HostThreads result;
  if (wanted > 1) result = {.wanted = wanted, .why = "this program was built without threads"};
  return result;
#endif
}

/// How many threads the host has by default, as the environment or its processors say, whatever
/// number has been set for the calling thread.
inline int default_host_threads() {
#if defined(KOKKOS_ENABLE_OPENMP)
  return openmp::default_threads();
#else
  return 1;
#endif
}

/// How many threads the caller has set for work that its thread starts (omp_set_num_threads, which
/// threadpoolctl calls); the default, or what Kokkos has set, if it has set none.
inline int host_threads_of_caller() {
#if defined(KOKKOS_ENABLE_OPENMP)
  return ::omp_get_max_threads();
#else
  return 1;
#endif
}

/// Sets that number.
inline void set_host_threads_of_caller([[maybe_unused]] int threads) {
#if defined(KOKKOS_ENABLE_OPENMP)
  ::omp_set_num_threads(threads);
#endif
}

}  // namespace tessera::backends
