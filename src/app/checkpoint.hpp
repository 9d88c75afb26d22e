// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::app {

/// What a checkpoint is of. A run goes on only from a checkpoint of the same job.
struct CheckpointJob {
  std::string operation;  ///< "atax", "atax with B", "gemv" or "gemvt"
  std::string type;       ///< to compute in
  std::string layout;     ///< of the file
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::uint64_t file_bytes = 0;
  std::int64_t file_modified = 0;  ///< nanoseconds
  std::string vector_sha256;

  friend bool operator==(CheckpointJob const&, CheckpointJob const&) = default;
};

/// A streamed run between two blocks: stream::State as bytes.
struct Checkpoint {
  CheckpointJob job;
  std::int64_t blocks_done = 0;
  std::int64_t block_lines = 0;
  std::vector<std::vector<std::byte>> waiting;
  std::vector<std::byte> chain;
  std::vector<std::byte> output;
};

/// Writes a checkpoint aside and puts it in its place: at any moment there is the old one or the
/// new one, whole. @throws io::FileError bad_output
void write_checkpoint(std::string const& path, Checkpoint const& checkpoint);

/// Reads a checkpoint. Only a file as long as its head says is read, and only where there is memory
/// for it.
/// @return nothing when there is no such file
/// @throws io::FileError bad_input when it is damaged, out_of_memory
[[nodiscard]] std::optional<Checkpoint> read_checkpoint(std::string const& path);

/// @throws io::FileError bad_input when the checkpoint is of another job
void require_job(Checkpoint const& found, CheckpointJob const& job, std::string const& path);

}  // namespace tessera::app
