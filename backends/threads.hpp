// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

#include <tessera/backends/host/threads.hpp>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <tessera/backends/openmp/threads.hpp>
#endif

/// The threads of a machine, before Kokkos is initialised. Kokkos relies on the requested number,
/// even if fewer start.
namespace tessera::backends {

/// Whether Kokkos can have more than one thread on the host.
#if defined(KOKKOS_ENABLE_OPENMP)
inline constexpr bool has_host_threads = true;
#else
inline constexpr bool has_host_threads = false;
#endif

/// Returns how many of `wanted` threads (0: the environment's default) Kokkos can use on the host.
inline HostThreads survey_host_threads([[maybe_unused]] int wanted) {
#if defined(KOKKOS_ENABLE_OPENMP)
  return openmp::survey_threads(wanted);
#else
  HostThreads result;
  if (wanted > 1) result = {.wanted = wanted, .why = "this program was built without threads"};
  return result;
#endif
}

/// Returns the default number of host threads, from the environment or the processors, regardless
/// of the number set for the calling thread.
inline int default_host_threads() {
#if defined(KOKKOS_ENABLE_OPENMP)
  return openmp::default_threads();
#else
  return 1;
#endif
}

/// Returns the number of threads that the caller has set for work in its thread
/// (omp_set_num_threads, also called by threadpoolctl); otherwise the default, or the number that
/// Kokkos has set.
inline int host_threads_of_caller() {
#if defined(KOKKOS_ENABLE_OPENMP)
  return ::omp_get_max_threads();
#else
  return 1;
#endif
}

/// Sets the number returned by host_threads_of_caller.
inline void set_host_threads_of_caller([[maybe_unused]] int threads) {
#if defined(KOKKOS_ENABLE_OPENMP)
  ::omp_set_num_threads(threads);
#endif
}

}  // namespace tessera::backends
