// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>

/// Differences between hosts and GPUs.
namespace tessera::bench {

struct Elapsed {
  double seconds;                      ///< until the last kernel ends
  std::optional<double> host_seconds;  ///< until the calls return, if earlier
};

/// Pairs (name, value).
using Facts = std::vector<std::pair<std::string, std::string>>;

std::string kokkos_version();

/// Of the program, the machine and the backend.
Facts facts_of(std::string const& backend);

/// Kokkos fences while it counts.
int count_kernels(std::function<void()> const& work);

namespace host {

std::size_t free_bytes();

}  // namespace host

namespace gpu {

Elapsed time(void* stream, std::function<void()> const& enqueue);
std::size_t cache_bytes();
std::size_t free_bytes();
Facts facts();

}  // namespace gpu

template <class Exec>
inline constexpr bool is_gpu = backends::Backend<Exec>::is_gpu;

/// `exec` must be idle.
template <class Exec>
Elapsed time(Exec const& exec, std::function<void()> const& enqueue) {
  if constexpr (is_gpu<Exec>) {
    return gpu::time(exec.cuda_stream(), enqueue);
  } else {
    auto const start = std::chrono::steady_clock::now();
    enqueue();
    exec.fence("bench: work is done");
    std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - start;
    return {elapsed.count(), std::nullopt};
  }
}

/// A stream takes about 1000 kernels before it blocks, and a call may have three.
template <class Exec>
constexpr int most_calls_under_way() {
  return is_gpu<Exec> ? 250 : std::numeric_limits<int>::max();
}

/// Bytes to read between two reads of a matrix, so that caches do not hold it; 0 on hosts.
template <class Exec>
std::size_t bytes_to_rotate() {
  if constexpr (is_gpu<Exec>) {
    return 4 * gpu::cache_bytes();
  } else {
    return 0;
  }
}

template <class Exec>
std::size_t free_bytes() {
  if constexpr (is_gpu<Exec>) {
    return gpu::free_bytes();
  } else {
    return host::free_bytes();
  }
}

template <class Exec>
Facts facts() {
  if constexpr (is_gpu<Exec>) {
    return gpu::facts();
  } else {
    return {};
  }
}

}  // namespace tessera::bench
