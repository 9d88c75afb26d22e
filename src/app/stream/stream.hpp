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

struct StreamRequest : ProductRequest {
  io::MatrixReader const& reader;
  io::ScalarType type;
  std::uint64_t memory_limit = 0;  ///< of all memory in use
  std::string checkpoint = {};
  double checkpoint_seconds = 60;
  bool holds_stored = false;  ///< on ranks: rows are in memory as in the file
};

/// One read for all vectors if the limit has room for their sums.
[[nodiscard]] Measurement stream_alone(OperationId id, StreamRequest const& request);

/// Each rank reads a part and gets complete results.
[[nodiscard]] Measurement stream_on_ranks(OperationId id, StreamRequest const& request);

/// As stream_on_ranks(), with the rows in memory. Ignores memory_limit and checkpoint.
[[nodiscard]] Measurement run_on_ranks(OperationId id, StreamRequest const& request, int repeat);

[[nodiscard]] CheckpointJob checkpoint_job(StreamRequest const& request, OperationId id,
                                           bool with_b);

struct StreamChoice {
  BackendFacts backend;  ///< the host's unless chosen: reading takes longest
  std::uint64_t memory_limit;
  std::string why;
};

/// The chosen one of `all`, else the first host backend, else the first.
[[nodiscard]] BackendFacts streaming_backend(BackendChoice choice,
                                             std::vector<BackendFacts> const& all);

/// Streams with --checkpoint, above --memory-limit or, without --check, if GPU or host memory is
/// too small. If one rank streams, all do.
[[nodiscard]] std::optional<StreamChoice> choose_stream(ComputeOptions const& options,
                                                        Job const& job);

/// Approximate rows in memory per rank.
[[nodiscard]] std::int64_t rows_of_rank(io::MatrixInfo const& info);

}  // namespace tessera::app
