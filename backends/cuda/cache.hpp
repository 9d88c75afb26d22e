// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <utility>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backend.hpp>
#include <tessera/backends/cuda/errors.hpp>

/// Sets how L1 cache and shared memory split a multiprocessor's memory.
namespace tessera::backends::cuda {

inline constexpr std::array<std::pair<CachePreference, cudaFuncCache>, 4> cache_preferences{
    {{CachePreference::none, cudaFuncCachePreferNone},
     {CachePreference::l1, cudaFuncCachePreferL1},
     {CachePreference::shared, cudaFuncCachePreferShared},
     {CachePreference::equal, cudaFuncCachePreferEqual}}};

/// Returns what the device reports. Kokkos sets a preference only for policies that request an
/// occupancy; ours do not. Kernels that need more shared memory still get it.
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
