// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/summation.hpp>
#include <tessera/tuning.hpp>

namespace tessera::backends {

using summation::Index;

/// What a GPU's multiprocessors are to use the memory for that first-level cache and scratch share.
enum class CachePreference { none, l1, shared, equal };

/// Memory of the host that is copied to a device as it is.
class PageableBuffer {
 public:
  explicit PageableBuffer(std::size_t bytes) : memory_(new std::byte[bytes]) {}
  [[nodiscard]] std::byte* data() const { return memory_.get(); }
  template <class Exec>
  void pin(Exec const& /*exec*/) {}

 private:
  std::unique_ptr<std::byte[]> memory_;
};

/// What Tessera knows of an execution space. Folders beside this file specialise it, and the
/// concepts below say what they must give; here is what is assumed of all others: the portable
/// kernels run there, and Kokkos says where its memory is. No answer may change a bit of a result.
template <class Exec>
struct Backend {
  static constexpr bool is_accelerated = false;
  static constexpr bool is_gpu =
      !Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;
  using PinnedBuffer = PageableBuffer;
  using PinnedSpace = Kokkos::HostSpace;
};

/// `is_accelerated`: whether the backend has kernels of its own; `is_gpu`: whether the host's
/// threads cannot reach its memory.
template <class Exec>
concept SaysWhatItIs = requires {
  { Backend<Exec>::is_accelerated } -> std::convertible_to<bool>;
  { Backend<Exec>::is_gpu } -> std::convertible_to<bool>;
};

/// On GPUs: `PinnedBuffer(bytes)`, memory of the host that the GPU copies from while others work,
/// with `data()` and `pin(exec)`, and `PinnedSpace`, where Kokkos finds it.
template <class Exec>
concept CopiesFromTheHost = requires(typename Backend<Exec>::PinnedBuffer buffer, Exec exec) {
  typename Backend<Exec>::PinnedSpace;
  { buffer.data() } -> std::convertible_to<std::byte const*>;
  buffer.pin(exec);
};

/// With kernels of its own: a `name` as in `--backend name`, and tunings,
/// `row_major_tuning<T>(exec, rows, cols)`, `column_major_tuning<T>(exec, rows, cols)`,
/// `tuning_of_blocks<T>(exec, count, length, vectors, tuning)` for lines and a block of so many
/// vectors, made of the one for a vector, `transpose_tuning(exec, TransposeShape)` and
/// `gemm_tuning<T>(exec, rows, cols, chains)`.
template <class Exec>
concept ChoosesTunings =
    requires(Exec exec, Index extent, TransposeShape shape, summation::Chains chains) {
      { Backend<Exec>::name } -> std::convertible_to<char const*>;
      {
        Backend<Exec>::template row_major_tuning<float>(exec, extent, extent)
      } -> std::same_as<Tuning>;
      {
        Backend<Exec>::template column_major_tuning<float>(exec, extent, extent)
      } -> std::same_as<Tuning>;
      {
        Backend<Exec>::template tuning_of_blocks<float>(exec, extent, extent, 2, Tuning{})
      } -> std::same_as<Tuning>;
      { Backend<Exec>::transpose_tuning(exec, shape) } -> std::same_as<TransposeTuning>;
      {
        Backend<Exec>::template gemm_tuning<float>(exec, extent, extent, chains)
      } -> std::same_as<GemmTuning>;
    };

/// With kernels of its own on a host: `has_all_threads(exec)`, whether a kernel gets as many
/// threads as Kokkos counts on, `exec.concurrency()`; kernels whose threads wait for each other
/// need them.
template <class Exec>
concept CountsThreads = requires(Exec exec) {
  { Backend<Exec>::has_all_threads(exec) } -> std::convertible_to<bool>;
};

/// With kernels of its own on a GPU: `Warp`, what its threads exchange with,
/// `run_teams<MaxThreads, MinTeams>(exec, label, teams, team_size, scratch, kernel)`, which does as
/// a Kokkos policy of teams does, with up to `most_scratch(exec)` bytes of scratch (where
/// `Warp::has_clusters`, one more argument is how many teams form a cluster, whose scratch they
/// reach), and `set_cache_preference(exec, preference)`, which returns what the device then says.
template <class Exec>
concept LaunchesTeams = requires(Exec exec, CachePreference preference) {
  typename Backend<Exec>::Warp;
  { Backend<Exec>::most_scratch(exec) } -> std::convertible_to<std::size_t>;
  { Backend<Exec>::set_cache_preference(exec, preference) } -> std::same_as<CachePreference>;
};

/// Whether a backend gives what it must; if not, the compiler says what it lacks. The variants need
/// more of one that is accelerated: `run_together(exec, label, threads, teams, body)` runs
/// body(grid) on teams that can wait for each other, grid.sync(), `teams_together<Body>(exec,
/// threads)` at most.
template <class Exec>
struct Complete : std::true_type {
  static_assert(SaysWhatItIs<Exec>, "a backend says what it is: is_accelerated and is_gpu");
  static constexpr bool is_accelerated = Backend<Exec>::is_accelerated;
  static constexpr bool is_gpu = Backend<Exec>::is_gpu;
  static_assert(!is_gpu || CopiesFromTheHost<Exec>,
                "a backend for GPUs copies from the host: PinnedBuffer and PinnedSpace");
  static_assert(!is_accelerated || ChoosesTunings<Exec>,
                "a backend with kernels of its own has a name and chooses tunings: "
                "row_major_tuning, column_major_tuning, tuning_of_blocks, transpose_tuning and "
                "gemm_tuning");
  static_assert(!is_accelerated || is_gpu || CountsThreads<Exec>,
                "a host's backend with kernels of its own counts threads: has_all_threads");
  static_assert(!is_accelerated || !is_gpu || LaunchesTeams<Exec>,
                "a GPU's backend with kernels of its own launches teams: Warp, run_teams, "
                "most_scratch and set_cache_preference");
};

}  // namespace tessera::backends
