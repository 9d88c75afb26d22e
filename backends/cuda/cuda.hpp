// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backend.hpp>
#include <tessera/backends/cuda/cache.hpp>
#include <tessera/backends/cuda/capture.hpp>
#include <tessera/backends/cuda/pinned.hpp>
#include <tessera/backends/cuda/teams.hpp>
#include <tessera/backends/cuda/together.hpp>
#include <tessera/backends/cuda/tuning.hpp>
#include <tessera/backends/cuda/warp.hpp>

namespace tessera::backends {

template <>
struct Backend<Kokkos::Cuda> {
  static constexpr char const* name = "cuda";
  static constexpr bool is_accelerated = true;
  static constexpr bool is_gpu = true;
  using Warp = cuda::Warp;
  using PinnedSpace = Kokkos::SharedHostPinnedSpace;
  using PinnedBuffer = cuda::PinnedBuffer;

  template <class Body>
  static Index teams_together(Kokkos::Cuda const& exec, int threads) {
    return cuda::teams_together<Body>(exec, threads);
  }
  template <class Body>
  static void run_together(Kokkos::Cuda const& exec, std::string const& label, int threads,
                           Index teams, Body const& body) {
    cuda::run_together(exec, label, threads, teams, body);
  }

  template <unsigned MaxThreads, unsigned MinTeams, class Kernel>
  static void run_teams(Kokkos::Cuda const& exec, std::string const& label, Index teams,
                        int team_size, std::size_t scratch, Kernel const& kernel, int cluster = 1) {
    cuda::run_teams<MaxThreads, MinTeams>(exec, label, teams, team_size, scratch, kernel, cluster);
  }
  static std::size_t most_scratch(Kokkos::Cuda const& exec) { return cuda::most_scratch(exec); }

  static CachePreference set_cache_preference(Kokkos::Cuda const& exec, CachePreference wanted) {
    return cuda::set_cache_preference(exec, wanted);
  }

  static constexpr Index most_slices_of_group = cuda::most_slices_of_group;

  static Index teams_that_meet(Kokkos::Cuda const& exec) { return cuda::teams_that_meet(exec); }

  template <class T>
  static cuda::Ring ring(summation::Panels const& panels, Index length, bool on_words,
                         int columns = 1, int element_bytes = sizeof(T)) {
    if (!Warp::has_clusters) return {};
    return cuda::ring_of<T>(panels, length, on_words, columns, element_bytes);
  }
  template <class T>
  static bool fuse_pairs(summation::Panels const& panels, Index length) {
    return Warp::has_clusters && cuda::fuse_pairs<T>(panels, length);
  }

  template <class T>
  static Tuning row_major_tuning(Kokkos::Cuda const& exec, Index rows, Index cols) {
    Tuning result = tuning_of_lines<T>(exec, rows, cols);
    result.prefer_fused = cuda::fuse_lines<T>(rows, cols, teams_that_meet(exec));
    return result;
  }
  template <class T>
  static Tuning column_major_tuning(Kokkos::Cuda const& exec, Index rows, Index cols) {
    Tuning result = tuning_of_lines<T>(exec, cols, rows);
    result.prefer_fused = Warp::has_copies && cuda::fuse_slices(cols, most_scratch(exec));
    if (result.prefer_fused) result.fused_tiles.tiles_per_team = most_slices_of_group;
    return result;
  }
  /// Two columns are fused one by one, with two reads, as many as two stages. Up to eight are fused
  /// together if clusters support the lines.
  template <class T>
  static Tuning tuning_of_blocks(Kokkos::Cuda const& exec, Index count, Index length, int vectors,
                                 Tuning result) {
    result.dot = cuda::dot_tuning_of_blocks<T>(count, length, vectors, multiprocessors(exec));
    result.sum = cuda::sum_tuning_of_blocks<T>(count, length, vectors, multiprocessors(exec));
    summation::Panels const panels = summation::panels(count, length);
    bool const on_words = length % (16 / static_cast<Index>(sizeof(T))) == 0;
    if (vectors == 2 && fuse_pairs<T>(panels, length)) {
      Index const clusters =
          cuda::clusters_at_once(ring<T>(panels, length, on_words, 2), multiprocessors(exec));
      result.fused_lines.panels_per_team =
          cuda::ceil_power_of_two(cuda::ceil_div(panels.count, clusters));
      return result;
    }
    result.fused_lines.panels_per_team =
        cuda::panels_of_block_ring<T>(count, length, multiprocessors(exec));
    bool const together = Warp::has_clusters && cuda::fuse_blocks<T>(length, vectors);
    result.prefer_fused = result.prefer_fused && (vectors <= 2 || together);
    return result;
  }
  static TransposeTuning transpose_tuning(Kokkos::Cuda const&, TransposeShape const& shape) {
    return cuda::transpose_tuning(shape);
  }
  template <class T>
  static GemmTuning gemm_tuning(Kokkos::Cuda const& exec, Index rows, Index cols,
                                summation::Chains const& chains) {
    return cuda::gemm_tuning<T>(rows, cols, chains.count, multiprocessors(exec));
  }

  static bool stays_in_cache(Kokkos::Cuda const& exec, Index bytes) {
    return cuda::stays_in_cache(bytes, exec.cuda_device_prop().l2CacheSize);
  }
  static bool fetches_blocks(Kokkos::Cuda const& exec) {
    return cuda::fetches_blocks(exec.cuda_device_prop().memoryBusWidth);
  }

  static Index multiprocessors(Kokkos::Cuda const& exec) {
    return exec.cuda_device_prop().multiProcessorCount;
  }
  static unsigned long long capture_of(Kokkos::Cuda const& exec) {
    return cuda::capture_of(exec.cuda_stream());
  }

 private:
  template <class T>
  static Tuning tuning_of_lines(Kokkos::Cuda const& exec, Index count, Index length) {
    return cuda::tuning<T>(count, length, multiprocessors(exec),
                           ring<T>(summation::panels(count, length), length, true));
  }
};

}  // namespace tessera::backends
