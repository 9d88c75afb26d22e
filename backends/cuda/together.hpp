// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cooperative_groups.h>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/cuda/errors.hpp>
#include <tessera/backends/cuda/launch.hpp>
#include <tessera/summation.hpp>

/// Cooperative launches.
namespace tessera::backends::cuda {

using summation::Index;

struct Grid {
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index team() const {
    KOKKOS_IF_ON_DEVICE((return static_cast<Index>(blockIdx.x);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index teams() const {
    KOKKOS_IF_ON_DEVICE((return static_cast<Index>(gridDim.x);))
    KOKKOS_IF_ON_HOST((return 1;))
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int thread() const {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(threadIdx.x);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  /// Makes earlier writes visible to the grid.
  KOKKOS_INLINE_FUNCTION void sync() const {
    KOKKOS_IF_ON_DEVICE((cooperative_groups::this_grid().sync();))
  }
};

template <class Body>
__global__ void __launch_bounds__(1024) run_body_together(Body const body) {
  body(Grid{});
}

/// 0 without cooperative launches.
template <class Body>
Index teams_together(Kokkos::Cuda const& exec, int threads) {
  require_success(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
  int has_launch = 0;
  require_success(
      cudaDeviceGetAttribute(&has_launch, cudaDevAttrCooperativeLaunch, exec.cuda_device()),
      "cudaDeviceGetAttribute");
  if (has_launch == 0) return 0;
  int teams = 0;
  require_success(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                      &teams, reinterpret_cast<void const*>(&run_body_together<Body>), threads, 0),
                  "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return Index{teams} * exec.cuda_device_prop().multiProcessorCount;
}

template <class Body>
void run_together(Kokkos::Cuda const& exec, std::string const& label, int threads, Index teams,
                  Body const& body) {
  launch(exec, label, &run_body_together<Body>, body, [&](auto const* function, void** arguments) {
    return cudaLaunchCooperativeKernel(function, dim3(static_cast<unsigned>(teams)),
                                       dim3(static_cast<unsigned>(threads)), arguments, 0,
                                       exec.cuda_stream());
  });
}

}  // namespace tessera::backends::cuda
