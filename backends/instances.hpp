// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <tessera/backends/cuda/instances.hpp>
#endif

/// Work in the caller's GPU streams.
namespace tessera::backends {

#if defined(KOKKOS_ENABLE_CUDA)
inline constexpr bool has_streams = true;
#else
inline constexpr bool has_streams = false;
#endif

/// Calls body(exec), one call at a time. Throws std::invalid_argument without GPU backend, or if
/// Kokkos runs on another GPU.
template <class Body>
void with_stream([[maybe_unused]] int device, [[maybe_unused]] std::uintptr_t stream,
                 [[maybe_unused]] Body const& body) {
#if defined(KOKKOS_ENABLE_CUDA)
  cuda::with_stream(device, stream, body);
#else
  throw std::invalid_argument("tessera: this build has no backend for GPUs");
#endif
}

}  // namespace tessera::backends
