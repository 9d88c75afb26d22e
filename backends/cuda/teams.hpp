// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/cuda/errors.hpp>
#include <tessera/summation.hpp>

/// Teams with more scratch than a Kokkos policy gives them: before 5.2, Kokkos has 48 KiB on any
/// device, and Hopper has 227.
namespace tessera::backends::cuda {

using summation::Index;

/// The scratch of a team, handed out piece by piece.
class TeamScratch {
 public:
  KOKKOS_INLINE_FUNCTION explicit TeamScratch(std::byte* memory) : next_(memory) {}

  /// The next `size` bytes, at a multiple of `alignment`, a power of two.
  KOKKOS_INLINE_FUNCTION void* get_shmem_aligned(std::size_t size, std::size_t alignment) const {
    auto const address = reinterpret_cast<std::uintptr_t>(next_);
    next_ += (alignment - address % alignment) % alignment;
    std::byte* const piece = next_;
    next_ += size;
    return piece;
  }

 private:
  mutable std::byte* next_;
};

/// The handle of a team: what its kernels use of that of a Kokkos policy.
class Team {
 public:
  KOKKOS_INLINE_FUNCTION Team() : scratch_(memory()) {}

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
  [[nodiscard]] KOKKOS_INLINE_FUNCTION TeamScratch const& team_scratch(int /*level*/) const {
    return scratch_;
  }

 private:
  KOKKOS_INLINE_FUNCTION static std::byte* memory() {
    KOKKOS_IF_ON_DEVICE(
        (extern __shared__ uint4 team_memory[]; return reinterpret_cast<std::byte*>(team_memory);))
    KOKKOS_IF_ON_HOST((return nullptr;))
  }
  TeamScratch scratch_;
};

/// Bytes of scratch that a team can have.
inline std::size_t most_scratch(Kokkos::Cuda const& exec) {
  return exec.cuda_device_prop().sharedMemPerBlockOptin;
}

template <unsigned MaxThreads, unsigned MinTeams, class Kernel>
__global__ void __launch_bounds__(MaxThreads, MinTeams) run_kernel_of_teams(Kernel const kernel) {
  kernel(Team{});
}

/// Runs kernel(team) on `teams` teams of `team_size` <= MaxThreads threads, each with `scratch`
/// bytes, in the instance's stream; registers are limited so that MinTeams teams of MaxThreads
/// threads share a multiprocessor.
template <unsigned MaxThreads, unsigned MinTeams, class Kernel>
void run_teams(Kokkos::Cuda const& exec, std::string const& label, Index teams, int team_size,
               std::size_t scratch, Kernel const& kernel) {
  if (teams > std::numeric_limits<int>::max()) {
    throw std::length_error(label + ": more teams than a launch takes; choose larger tiles");
  }
  auto const* const function =
      reinterpret_cast<void const*>(&run_kernel_of_teams<MaxThreads, MinTeams, Kernel>);
  int const device = exec.cuda_device();
  std::uint64_t number = 0;
  Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &number);
  require_success(cudaSetDevice(device), "cudaSetDevice");
  // A kernel is allowed so much once on each device; those beyond 63 are asked every time.
  static std::atomic<std::uint64_t> allowed{0};
  std::uint64_t const bit = device < 64 ? std::uint64_t{1} << device : 0;
  if ((allowed.load(std::memory_order_relaxed) & bit) == 0) {
    require_success(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(most_scratch(exec))),
                    label + ": the scratch of its teams");
    allowed.fetch_or(bit, std::memory_order_relaxed);
  }
  Kernel copy = kernel;
  void* arguments[] = {&copy};
  require_success(cudaLaunchKernel(function, dim3(static_cast<unsigned>(teams)),
                                   dim3(static_cast<unsigned>(team_size)), arguments, scratch,
                                   exec.cuda_stream()),
                  label + ": the launch failed");
  Kokkos::Tools::endParallelFor(number);
}

}  // namespace tessera::backends::cuda
