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

}  // namespace tessera::backends
