// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <app/base/sha256.hpp>
#include <io/descriptor.hpp>
#include <io/input_file.hpp>
#include <tessera/stream/options.hpp>
#include <tessera/stream/state.hpp>

namespace tessera::app {

/// A run resumes only from its own job's checkpoint.
struct CheckpointJob {
  stream::StateOf state;
  io::FileIdentity file;
  std::string file_sha256;  ///< of InputFile::sample()
  std::string dataset;
  std::string elements;  ///< type, order and offset: "f32 little 128"
  std::string vector_sha256;
  std::string options{};  ///< that a solver's state depends on: "damp 0.5"
  std::string limits{};   ///< may change: "atol 1e-06"
};

/// A state between two blocks or iterations, not owned.
struct Checkpoint {
  using Bytes = std::span<std::byte const>;

  CheckpointJob const& job;
  std::int64_t blocks_done = 0;
  std::int64_t block_lines = 0;
  std::vector<Bytes> waiting;
  Bytes chain;
  Bytes output;
};

/// A run's checkpoint file, locked so that no other run overwrites it. An empty path: no file. Only
/// the first rank has one.
///
/// The lock is on one byte of the folder, selected by the file's name, so that nothing remains.
/// File systems without locks give no protection.
class CheckpointPlace {
 public:
  /// @throws Failure usage for a dataset or an open descriptor
  /// @throws io::FileError bad_output if not writable, or in use
  explicit CheckpointPlace(std::string const& path);

  /// After the result is in place. Keeps symbolic links.
  void remove() const;

 private:
  std::string target_;  // links followed
  io::Descriptor lock_;
};

/// Renames a temporary file, so that a complete checkpoint always exists. Copies no vectors.
void write_checkpoint(std::string const& path, Checkpoint const& checkpoint);

/// A failure is only a notice: the run continues and tries again.
void try_checkpoint(std::string const& path, Checkpoint const& checkpoint);

/// Opening checks length and memory, finish() detects damage.
class CheckpointFile {
 public:
  /// Collective. Empty without a file.
  /// @throws io::FileError bad_input if damaged or different on ranks; out_of_memory
  [[nodiscard]] static std::optional<CheckpointFile> open(std::string const& path);

  [[nodiscard]] CheckpointJob const& job() const { return job_; }
  [[nodiscard]] std::int64_t blocks_done() const { return blocks_done_; }
  [[nodiscard]] std::int64_t block_lines() const { return block_lines_; }
  /// Bytes of the vectors in file order: waiting ones, chain, output.
  [[nodiscard]] std::vector<std::uint64_t> const& sizes() const { return sizes_; }

  void read(std::span<std::byte> to);
  void finish();
  [[noreturn]] void fail(std::string const& what) const;

 private:
  explicit CheckpointFile(io::InputFile file);
  void parse(std::string const& text);
  void require_size() const;
  [[nodiscard]] std::string digest() const;

  io::InputFile file_;
  Sha256 sum_;
  std::uint64_t position_ = 0;
  CheckpointJob job_;
  std::int64_t blocks_done_ = 0;
  std::int64_t block_lines_ = 0;
  std::vector<std::uint64_t> sizes_;
};

/// Limits may differ, and options that an earlier version did not write.
void require_job(CheckpointJob const& found, CheckpointJob const& job, std::string const& path);

template <class T>
Checkpoint to_checkpoint(stream::State<T> const& state, CheckpointJob const& job) {
  Checkpoint c{.job = job,
               .blocks_done = state.blocks_done,
               .block_lines = state.block_lines,
               .waiting = {},
               .chain = std::as_bytes(std::span(state.chain)),
               .output = std::as_bytes(std::span(state.output))};
  for (auto const& sum : state.waiting) c.waiting.push_back(std::as_bytes(std::span(sum)));
  return c;
}

/// Reads to the end of the file.
template <class T>
stream::State<T> read_state(CheckpointFile& file) {
  std::vector<std::vector<T>> vectors;
  for (std::uint64_t const size : file.sizes()) {
    if (size % sizeof(T) != 0) file.fail("an array in it ends inside an element");
    file.read(std::as_writable_bytes(std::span(vectors.emplace_back(size / sizeof(T)))));
  }
  file.finish();
  stream::State<T> state;
  state.of = file.job().state;
  state.blocks_done = file.blocks_done();
  state.block_lines = file.block_lines();
  state.output = std::move(vectors.back());
  vectors.pop_back();
  state.chain = std::move(vectors.back());
  vectors.pop_back();
  state.waiting = std::move(vectors);
  return state;
}

}  // namespace tessera::app
