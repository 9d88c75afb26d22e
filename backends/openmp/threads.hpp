// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>
#include <omp.h>
#include <string>
#include <thread>

#include <tessera/backends/host/threads.hpp>

/// OpenMP's threads.
namespace tessera::backends::openmp {

/// Kokkos (Kokkos::Impl::OpenMPTraits) does not check it.
inline constexpr int most_threads = 512;

/// Left for reading files and progress output if fewer threads start.
inline constexpr int threads_for_others = 2;

/// Parses OMP_STACKSIZE: a number and a unit, by default KiB. 0: not set.
inline std::size_t stack_bytes() {
  char const* const text = std::getenv("OMP_STACKSIZE");
  if (text == nullptr) return 0;
  char* unit = nullptr;
  auto const number = static_cast<std::size_t>(std::strtoull(text, &unit, 10));
  while (*unit == ' ') ++unit;
  int const shift = *unit == 'B' || *unit == 'b'   ? 0
                    : *unit == 'M' || *unit == 'm' ? 20
                    : *unit == 'G' || *unit == 'g' ? 30
                                                   : 10;
  return number << shift;
}

/// From the environment, as seen by a thread that has set no number.
inline int default_threads() {
  int result = 1;
  std::thread([&result] { result = ::omp_get_max_threads(); }).join();
  return result;
}

/// Disables OMP_DYNAMIC, as Kokkos needs a constant number of threads.
inline HostThreads survey_threads(int wanted) {
  ::omp_set_dynamic(0);
  HostThreads result;
  result.wanted = wanted > 0 ? wanted : ::omp_get_max_threads();
  result.found = result.wanted;
  auto const limit = [&result](int most, std::string const& why) {
    if (most >= result.found) return;
    result.found = std::max(1, most);
    result.why = why;
  };
  limit(most_threads, "Kokkos' OpenMP backend has no more");
  limit(::omp_get_thread_limit(), "OpenMP's limit says so (OMP_THREAD_LIMIT)");
  if (::omp_get_max_active_levels() < 1) {
    limit(1, "OpenMP's limit of levels says so (OMP_MAX_ACTIVE_LEVELS)");
  }
  // OpenMP would terminate if a thread failed to start.
  int const others = host::start_and_end_threads(result.found - 1, stack_bytes());
  if (others < result.found - 1) {
    limit(others + 1 - threads_for_others,
          "the system starts no more (limits of processes or of memory)");
  }
  int running = 1;
#pragma omp parallel num_threads(result.found)
  {
#pragma omp single
    running = ::omp_get_num_threads();
  }
  limit(running, "OpenMP starts no more");
  ::omp_set_num_threads(result.found);  // Kokkos uses this default
  return result;
}

}  // namespace tessera::backends::openmp
