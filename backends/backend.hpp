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

/// How L1 and scratch split a multiprocessor's memory.
enum class CachePreference { none, l1, shared, equal };

class PageableBuffer {
 public:
  explicit PageableBuffer(std::size_t bytes) : memory_(new std::byte[bytes]) {}
  [[nodiscard]] std::byte* data() const { return memory_.get(); }
  template <class Exec>
  void pin(Exec const& /*exec*/) {}

 private:
  std::unique_ptr<std::byte[]> memory_;
};

/// Properties of an execution space. Folders specialise this template; other spaces have these
/// defaults and portable kernels. No property changes a bit of a result.
template <class Exec>
struct Backend {
  static constexpr bool is_accelerated = false;
  static constexpr bool is_gpu =
      !Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;
  using PinnedBuffer = PageableBuffer;
  using PinnedSpace = Kokkos::HostSpace;
};

/// `is_gpu`: the host cannot access its memory.
template <class Exec>
concept SaysWhatItIs = requires {
  { Backend<Exec>::is_accelerated } -> std::convertible_to<bool>;
  { Backend<Exec>::is_gpu } -> std::convertible_to<bool>;
};

/// `PinnedBuffer(bytes)`: host memory for asynchronous copies, with `data()` and `pin(exec)`.
/// `PinnedSpace`: its Kokkos space.
template <class Exec>
concept CopiesFromTheHost = requires(typename Backend<Exec>::PinnedBuffer buffer, Exec exec) {
  typename Backend<Exec>::PinnedSpace;
  { buffer.data() } -> std::convertible_to<std::byte const*>;
  buffer.pin(exec);
};

/// Accelerated backends: `name`, as in `--backend name`, and tunings:
/// - `row_major_tuning<T>(exec, rows, cols)`, `column_major_tuning<T>(exec, rows, cols)`
/// - `tuning_of_blocks<T>(exec, count, length, vectors, tuning of one vector)`
/// - `transpose_tuning(exec, TransposeShape)`
/// - `gemm_tuning<T>(exec, rows, cols, chains)`
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

/// Hosts: whether kernels get `exec.concurrency()` threads, as Kokkos assumes. Needed by threads
/// that wait for each other.
template <class Exec>
concept CountsThreads = requires(Exec exec) {
  { Backend<Exec>::has_all_threads(exec) } -> std::convertible_to<bool>;
};

/// Accelerated backends on a GPU:
/// - `Warp`: operations with which threads exchange values
/// - `run_teams<MaxThreads, MinTeams>(exec, label, teams, team_size, scratch, kernel[, cluster])`,
///   with up to `most_scratch(exec)` bytes; the teams of a cluster access each other's scratch
/// - `set_cache_preference(exec, preference)`: returns the new preference
template <class Exec>
concept LaunchesTeams = requires(Exec exec, CachePreference preference) {
  typename Backend<Exec>::Warp;
  { Backend<Exec>::most_scratch(exec) } -> std::convertible_to<std::size_t>;
  { Backend<Exec>::set_cache_preference(exec, preference) } -> std::same_as<CachePreference>;
};

/// Tested member by member, so that the compiler names missing ones. Variants also need
/// `run_together(exec, label, threads, teams, body)`: body(grid) on up to
/// `teams_together<Body>(exec, threads)` teams that wait for each other in grid.sync().
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
