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

/// The differences between measuring a host and a GPU: functions of an execution space.
namespace tessera::bench {

/// The duration of work.
struct Elapsed {
  double seconds;                      ///< from its start to the end of its last kernel
  std::optional<double> host_seconds;  ///< until the calls had returned, if that is earlier
};

/// Facts about a machine for reports, as (name, value).
using Facts = std::vector<std::pair<std::string, std::string>>;

namespace host {

/// Bytes of memory that can be allocated.
std::size_t free_bytes();

}  // namespace host

/// The device that Kokkos was started on; implemented in cuda_machine.cpp if CUDA is enabled.
namespace gpu {

/// Times what is enqueued on a stream, between two events.
Elapsed time(void* stream, std::function<void()> const& enqueue);
std::size_t cache_bytes();
std::size_t free_bytes();
Facts facts();

}  // namespace gpu

/// Whether an execution space is a GPU.
template <class Exec>
inline constexpr bool is_gpu = backends::Backend<Exec>::is_gpu;

/// Times what `enqueue` enqueues on `exec`, which must be idle.
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

/// Most calls that can be enqueued before the next one blocks: a stream takes about 1000 kernels,
/// and a call may have three.
template <class Exec>
constexpr int most_calls_under_way() {
  return is_gpu<Exec> ? 250 : std::numeric_limits<int>::max();
}

/// Bytes to read between two reads of the same matrix so that no cache holds it; 0 on hosts, where
/// caches are meant to be used.
template <class Exec>
std::size_t bytes_to_rotate() {
  if constexpr (is_gpu<Exec>) {
    return 4 * gpu::cache_bytes();
  } else {
    return 0;
  }
}

/// Bytes of memory that can be allocated for matrices.
template <class Exec>
std::size_t free_bytes() {
  if constexpr (is_gpu<Exec>) {
    return gpu::free_bytes();
  } else {
    return host::free_bytes();
  }
}

/// Facts about the device of an execution space; empty for a host.
template <class Exec>
Facts facts() {
  if constexpr (is_gpu<Exec>) {
    return gpu::facts();
  } else {
    return {};
  }
}

}  // namespace tessera::bench
