// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tessera/tuning.hpp>

namespace tessera::backends {

using summation::Index;

/// What a GPU's multiprocessors are to use the memory for that first-level cache and scratch share.
enum class CachePreference { none, l1, shared, equal };

/// What Tessera knows of an execution space. Each folder beside this file specialises it:
/// - `name`: as in `--backend name`;
/// - `is_gpu`: whether its threads run in warps; then `Warp`, what they exchange with, and
///   `PinnedBuffer`, memory of the host that the GPU copies from while others work, with
///   `data()` and `pin(exec)`, `PinnedSpace`, where Kokkos finds it, and
///   `set_cache_preference(exec, preference)`, which returns what the device then says;
/// - on hosts `has_all_threads(exec)`: whether a kernel gets as many threads as Kokkos counts on,
///   `exec.concurrency()`; kernels whose threads wait for each other need them;
/// - `run_together(exec, label, threads, teams, body)`: runs body(grid) on teams that can wait for
///   each other, grid.sync(), and `teams_together<Body>(exec, threads)`: how many at most;
/// - `run_teams<MaxThreads, MinTeams>(exec, label, teams, team_size, scratch, kernel)`: as a Kokkos
///   policy of teams does, with up to `most_scratch(exec)` bytes of scratch (GPUs); where
///   `Warp::has_clusters`, one more argument is how many teams form a cluster, whose scratch they
///   reach;
/// - `row_major_tuning<T>(exec, rows, cols)`, `column_major_tuning<T>(exec, rows, cols)`;
/// - `transpose_tuning(exec, shape)`, of a TransposeShape.
/// No answer may change a bit of a result.
template <class Exec>
struct Backend;

}  // namespace tessera::backends
