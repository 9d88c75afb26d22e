// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/cuda/errors.hpp>
#include <tessera/backends/cuda/floating_point.hpp>
#include <tessera/backends/cuda/launch.hpp>
#include <tessera/backends/cuda/warp.hpp>
#include <tessera/summation.hpp>

/// Team launches without Kokkos (docs/decisions/launches-without-policies.md). They start sooner,
/// use less scratch, and can have more than 48 KiB, Kokkos' limit before 5.2.
namespace tessera::backends::cuda {

using summation::Index;

inline constexpr std::size_t scratch_alignment = 128;

/// Counts offsets in scratch, as the compiler would recompute addresses.
class TeamScratch {
 public:
  KOKKOS_INLINE_FUNCTION explicit TeamScratch(std::byte* memory) : memory_(memory) {}

  KOKKOS_INLINE_FUNCTION void* get_shmem_aligned(std::size_t size, std::size_t alignment) const {
    used_ += (alignment - used_ % alignment) % alignment;
    std::byte* const piece = memory_ + used_;
    used_ += size;
    return piece;
  }

 private:
  std::byte* memory_;
  mutable std::size_t used_ = 0;
};

class CudaTeam {
 public:
  KOKKOS_INLINE_FUNCTION CudaTeam() : scratch_(memory()) {}

  [[nodiscard]] KOKKOS_INLINE_FUNCTION int league_rank() const {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(blockIdx.x);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int team_rank() const {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(threadIdx.x);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int team_size() const {
    KOKKOS_IF_ON_DEVICE((return static_cast<int>(blockDim.x);))
    KOKKOS_IF_ON_HOST((return 1;))
  }
  KOKKOS_INLINE_FUNCTION void team_barrier() const { KOKKOS_IF_ON_DEVICE((__syncthreads();)) }

  [[nodiscard]] KOKKOS_INLINE_FUNCTION int cluster_rank() const {
    KOKKOS_IF_ON_DEVICE((unsigned rank = 0; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
                         return static_cast<int>(rank);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  /// Makes earlier writes visible to the cluster.
  KOKKOS_INLINE_FUNCTION void cluster_barrier() const {
    KOKKOS_IF_ON_DEVICE((asm volatile("barrier.cluster.arrive.release.aligned;" :: : "memory");
                         asm volatile("barrier.cluster.wait.acquire.aligned;" :: : "memory");))
  }

  [[nodiscard]] KOKKOS_INLINE_FUNCTION TeamScratch const& team_scratch(int /*level*/) const {
    return scratch_;
  }

 private:
  KOKKOS_INLINE_FUNCTION static std::byte* memory() {
    KOKKOS_IF_ON_DEVICE((extern __shared__ __align__(scratch_alignment) std::byte team_memory[];
                         return team_memory;))
    KOKKOS_IF_ON_HOST((return nullptr;))
  }
  TeamScratch scratch_;
};

inline std::size_t most_scratch(Kokkos::Cuda const& exec) {
  return exec.cuda_device_prop().sharedMemPerBlockOptin;
}

template <unsigned MaxThreads, unsigned MinTeams, class Kernel>
__global__ void __launch_bounds__(MaxThreads, MinTeams) run_kernel_of_teams(Kernel const kernel) {
  require_ieee_arithmetic();
  Warp::wait_for_stream();
  kernel(CudaTeam{});
}

/// Set once per device, or always beyond device 63. A kernel with this permission gets a smaller L1
/// cache.
template <unsigned MaxThreads, unsigned MinTeams, class Kernel>
void allow_scratch(Kokkos::Cuda const& exec, std::string const& label) {
  auto const* const function =
      reinterpret_cast<void const*>(&run_kernel_of_teams<MaxThreads, MinTeams, Kernel>);
  static std::atomic<std::uint64_t> allowed{0};
  int const device = exec.cuda_device();
  std::uint64_t const bit = device < 64 ? std::uint64_t{1} << device : 0;
  if ((allowed.load(std::memory_order_relaxed) & bit) != 0) return;
  require_success(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(most_scratch(exec))),
                  "the scratch of its teams", label);
  allowed.fetch_or(bit, std::memory_order_relaxed);
}

template <unsigned MaxThreads, unsigned MinTeams, class Kernel>
void run_teams(Kokkos::Cuda const& exec, std::string const& label, Index teams, int team_size,
               std::size_t scratch, Kernel const& kernel, int cluster) {
  constexpr std::size_t without_asking = 48 * 1024;
  if (teams > std::numeric_limits<int>::max()) {
    throw std::invalid_argument(label + ": more teams than a launch takes; choose larger tiles");
  }
  launch(exec, label, &run_kernel_of_teams<MaxThreads, MinTeams, Kernel>, kernel,
         [&](auto const* function, void** arguments) {
           if (scratch > without_asking) {
             allow_scratch<MaxThreads, MinTeams, Kernel>(exec, label);
           }
           std::array<cudaLaunchAttribute, 2> attributes{};
           unsigned count = 0;
           if (cluster > 1) {
             attributes[count].id = cudaLaunchAttributeClusterDimension;
             attributes[count++].val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
           }
           if (Warp::starts_early) {
             attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
             attributes[count++].val.programmaticStreamSerializationAllowed = 1;
           }
           cudaLaunchConfig_t config{};
           config.gridDim = dim3(static_cast<unsigned>(teams));
           config.blockDim = dim3(static_cast<unsigned>(team_size));
           config.dynamicSmemBytes = scratch;
           config.stream = exec.cuda_stream();
           config.attrs = attributes.data();
           config.numAttrs = count;
           return cudaLaunchKernelExC(&config, function, arguments);
         });
}

}  // namespace tessera::backends::cuda
