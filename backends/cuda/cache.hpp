// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <utility>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backend.hpp>
#include <tessera/backends/cuda/errors.hpp>

/// The preference between L1 cache and shared memory.
namespace tessera::backends::cuda {

inline constexpr std::array<std::pair<CachePreference, cudaFuncCache>, 4> cache_preferences{
    {{CachePreference::none, cudaFuncCachePreferNone},
     {CachePreference::l1, cudaFuncCachePreferL1},
     {CachePreference::shared, cudaFuncCachePreferShared},
     {CachePreference::equal, cudaFuncCachePreferEqual}}};

/// Sets the device's preference for all later kernels, and returns the preference that the device
/// reports. A device that cannot split its memory in this way keeps its setting. Kokkos only sets a
/// preference per kernel if a policy requests an occupancy, and our policies do not. A kernel that
/// needs more shared memory than the preference leaves still gets it.
inline CachePreference set_cache_preference(Kokkos::Cuda const& exec, CachePreference wanted) {
  require_success(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
  for (auto const& [preference, config] : cache_preferences) {
    if (preference == wanted)
      require_success(cudaDeviceSetCacheConfig(config), "cudaDeviceSetCacheConfig");
  }
  cudaFuncCache found = cudaFuncCachePreferNone;
  require_success(cudaDeviceGetCacheConfig(&found), "cudaDeviceGetCacheConfig");
  for (auto const& [preference, config] : cache_preferences) {
    if (config == found) return preference;
  }
  return CachePreference::none;
}

}  // namespace tessera::backends::cuda
