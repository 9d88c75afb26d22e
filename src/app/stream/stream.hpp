// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <app/backend/backends.hpp>
#include <app/checkpoint/checkpoint.hpp>
#include <app/run/options.hpp>
#include <app/run/run.hpp>
#include <io/matrix_reader.hpp>

namespace tessera::app {

/// A matrix that is streamed from its file, and the operation on it.
struct StreamRequest {
  io::MatrixReader const& reader;
  io::HostVector const& x;   ///< contiguous vectors
  std::int64_t columns = 1;  ///< number of vectors, which share each read of the file
  io::ScalarType type;       ///< of the computation and of x
  Method method = Method::automatic;
  Kernels kernels = Kernels::automatic;
  BackendChoice backend = BackendChoice::automatic;
  bool keep_intermediate = false;
  Terms terms = {};                ///< as in RunRequest
  std::uint64_t memory_limit = 0;  ///< limit of all memory at a time
  std::string checkpoint = {};     ///< a file; empty: none
  double checkpoint_seconds = 60;  ///< between two checkpoints
};

/// Streams over the file, once for all vectors if the limit has room for their sums.
/// @throws Failure, io::FileError
[[nodiscard]] Measurement stream_alone(OperationId id, StreamRequest const& request);

/// As stream_alone, on all ranks. Each reads a part of the file; results are complete on each.
/// @throws Failure, io::FileError, DistributedError
[[nodiscard]] Measurement stream_on_ranks(OperationId id, StreamRequest const& request);

/// Runs an operation on all ranks, each with its rows in memory; results are complete on each.
/// Ignores memory_limit and checkpoint of the request.
/// @throws Failure, io::FileError
[[nodiscard]] Measurement run_on_ranks(OperationId id, StreamRequest const& request, int repeat);

/// The job of a checkpoint of this run. @throws io::FileError bad_input
[[nodiscard]] CheckpointJob checkpoint_job(StreamRequest const& request, OperationId id,
                                           bool with_b);

/// The decision to stream a job: backend, memory limit and reason.
struct StreamChoice {
  BackendFacts backend;  ///< the host's unless the user chooses: reading takes longest
  std::uint64_t memory_limit;
  std::string why;
};

/// The backend of a streamed job: the chosen one, which is in `all`, or the first host backend, or
/// the first of all if this build has no host backend.
[[nodiscard]] BackendFacts streaming_backend(BackendChoice choice,
                                             std::vector<BackendFacts> const& all);

/// Whether a job is streamed: if --checkpoint is given, if the job needs more than --memory-limit,
/// or, without --check, if it does not fit its GPU or the memory of the host. With several ranks,
/// all stream if one has to.
[[nodiscard]] std::optional<StreamChoice> choose_stream(ComputeOptions const& options,
                                                        Job const& job);

/// About the number of rows that each rank keeps in memory; all rows without ranks.
[[nodiscard]] std::int64_t rows_of_rank(io::MatrixInfo const& info);

}  // namespace tessera::app
