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

/// A matrix that is streamed from its file, and what to do with it.
struct StreamRequest {
  io::MatrixReader const& reader;
  io::HostVector const& x;   ///< vectors, one after the other
  std::int64_t columns = 1;  ///< of them, which share readings of the file
  io::ScalarType type;       ///< to compute in, that of x
  Method method = Method::automatic;
  Kernels kernels = Kernels::automatic;
  BackendChoice backend = BackendChoice::automatic;
  bool keep_intermediate = false;
  Terms terms = {};                ///< as in RunRequest
  std::uint64_t memory_limit = 0;  ///< bytes for all that is held at a time
  std::string checkpoint = {};     ///< a file; empty: none
  double checkpoint_seconds = 60;  ///< between two checkpoints
};

/// Streams over the file, once for all vectors where the limit holds their sums.
/// @throws Failure, io::FileError
[[nodiscard]] Measurement stream_alone(OperationId id, StreamRequest const& request);

/// The same on all ranks, each of which reads a part of the file; results are whole on each.
/// @throws Failure, io::FileError, DistributedError
[[nodiscard]] Measurement stream_on_ranks(OperationId id, StreamRequest const& request);

/// Runs an operation on all ranks, each of which has its rows in memory; results are whole on each.
/// Neither memory_limit nor checkpoint of the request is looked at.
/// @throws Failure, io::FileError
[[nodiscard]] Measurement run_on_ranks(OperationId id, StreamRequest const& request, int repeat);

/// What a checkpoint of this run says of its job. @throws io::FileError bad_input
[[nodiscard]] CheckpointJob checkpoint_job(StreamRequest const& request, OperationId id,
                                           bool with_b);

/// A job that is streamed: where, within how much memory, and why.
struct StreamChoice {
  BackendFacts backend;  ///< the host's where the user leaves it open: reading takes the longest
  std::uint64_t memory_limit;
  std::string why;
};

/// The backend of a streamed job: the chosen one, which is in `all`, or the first host backend, or
/// the first of all if this build has no host backend.
[[nodiscard]] BackendFacts streaming_backend(BackendChoice choice,
                                             std::vector<BackendFacts> const& all);

/// Whether a job is streamed: if --checkpoint is given, if the job needs more than --memory-limit,
/// or if it fits neither its GPU nor the host. With several ranks, all stream if one has to.
[[nodiscard]] std::optional<StreamChoice> choose_stream(ComputeOptions const& options,
                                                        Job const& job);

/// About the number of rows that each rank keeps in memory; all rows without ranks.
[[nodiscard]] std::int64_t rows_of_rank(io::MatrixInfo const& info);

}  // namespace tessera::app
