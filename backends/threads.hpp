// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

#include <tessera/backends/host/threads.hpp>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <tessera/backends/openmp/threads.hpp>
#endif

/// Kokkos relies on the requested number even if fewer threads start; these checks run before.
namespace tessera::backends {

#if defined(KOKKOS_ENABLE_OPENMP)
inline constexpr bool has_host_threads = true;
#else
inline constexpr bool has_host_threads = false;
#endif

/// How many of `wanted` (0: default) Kokkos can use.
inline HostThreads survey_host_threads([[maybe_unused]] int wanted) {
#if defined(KOKKOS_ENABLE_OPENMP)
  return openmp::survey_threads(wanted);
#else
  HostThreads result;
  if (wanted > 1) result = {.wanted = wanted, .why = "this program was built without threads"};
  return result;
#endif
}

/// Ignores what the calling thread has set.
inline int default_host_threads() {
#if defined(KOKKOS_ENABLE_OPENMP)
  return openmp::default_threads();
#else
  return 1;
#endif
}

/// The number set for this thread (omp_set_num_threads, threadpoolctl), or the default, or Kokkos'
/// number.
inline int host_threads_of_caller() {
#if defined(KOKKOS_ENABLE_OPENMP)
  return ::omp_get_max_threads();
#else
  return 1;
#endif
}

inline void set_host_threads_of_caller([[maybe_unused]] int threads) {
#if defined(KOKKOS_ENABLE_OPENMP)
  ::omp_set_num_threads(threads);
#endif
}

}  // namespace tessera::backends
