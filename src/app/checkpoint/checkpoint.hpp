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

/// The job of a checkpoint. A run resumes only from a checkpoint of the same job.
struct CheckpointJob {
  stream::StateOf state;    ///< the operation, its type, the shape
  io::FileIdentity file;    ///< the file of the matrix at the start of the run
  std::string file_sha256;  ///< of InputFile::sample()
  std::string dataset;      ///< of an HDF5 file; else empty
  std::string elements;     ///< type, byte order and offset in the file: "f32 little 128"
  std::string vector_sha256;
  // Of a solver.
  std::string options{};  ///< options that its state depends on: "damp 0.5"
  std::string limits{};   ///< options that a resumed run may change: "atol 1e-06"
};

/// A streamed run between two blocks: stream::State as bytes, stored elsewhere.
struct Checkpoint {
  using Bytes = std::span<std::byte const>;

  CheckpointJob const& job;
  std::int64_t blocks_done = 0;
  std::int64_t block_lines = 0;
  std::vector<Bytes> waiting;
  Bytes chain;
  Bytes output;
};

/// The file of --checkpoint during a run. It is locked, because two runs would overwrite each
/// other's state. An empty name is no file. Only the first rank has a file.
///
/// The lock is on one byte of the file's folder, selected by the file's name. It leaves nothing
/// behind, however the run ends. A file system without such locks gives no protection.
class CheckpointPlace {
 public:
  /// @throws Failure usage for a dataset, or the name of an open descriptor
  /// @throws io::FileError bad_output if no checkpoint can be written, or another run uses the file
  explicit CheckpointPlace(std::string const& path);

  /// Removes the state after the result is in place. A symbolic link to it is kept.
  void remove() const;

 private:
  std::string target_;  // links followed
  io::Descriptor lock_;
};

/// Writes a temporary file and renames it, so the old or the new checkpoint always exists,
/// complete. Allocates no memory for the vectors. @throws io::FileError bad_output
void write_checkpoint(std::string const& path, Checkpoint const& checkpoint);

/// Writes a checkpoint. If that fails, adds a notice: a temporarily full disk does not end a long
/// run, which keeps its previous checkpoint and tries again later.
void try_checkpoint(std::string const& path, Checkpoint const& checkpoint);

/// The file of a checkpoint, read vector by vector. Opening it checks that its length matches its
/// header and that memory suffices. Damage is detected at the end, by finish().
class CheckpointFile {
 public:
  /// Collective.
  /// @return empty if the file does not exist
  /// @throws io::FileError bad_input if it is damaged, or not the same on all ranks; out_of_memory
  [[nodiscard]] static std::optional<CheckpointFile> open(std::string const& path);

  [[nodiscard]] CheckpointJob const& job() const { return job_; }
  [[nodiscard]] std::int64_t blocks_done() const { return blocks_done_; }
  [[nodiscard]] std::int64_t block_lines() const { return block_lines_; }
  /// Bytes of the vectors, in file order: the waiting ones, the chain, the output.
  [[nodiscard]] std::vector<std::uint64_t> const& sizes() const { return sizes_; }

  /// Reads the next vector; `to` must have its size. @throws io::FileError bad_input
  void read(std::span<std::byte> to);
  /// Checks the digest after the last read. @throws io::FileError bad_input if the file is damaged
  void finish();
  /// Throws FileError bad_input: the checkpoint cannot be used.
  [[noreturn]] void fail(std::string const& what) const;

 private:
  explicit CheckpointFile(io::InputFile file);
  void parse(std::string const& text);
  void require_size() const;
  /// The SHA-256 at the end of the file.
  [[nodiscard]] std::string digest() const;

  io::InputFile file_;
  Sha256 sum_;
  std::uint64_t position_ = 0;
  CheckpointJob job_;
  std::int64_t blocks_done_ = 0;
  std::int64_t block_lines_ = 0;
  std::vector<std::uint64_t> sizes_;
};

/// Refuses a checkpoint of another job. Limits may differ. Earlier versions wrote no options: these
/// are not compared then.
/// @throws io::FileError bad_input
void require_job(CheckpointJob const& found, CheckpointJob const& job, std::string const& path);

/// The checkpoint of a state, which refers to the state's elements.
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

/// Reads the state of a checkpoint, to the end of the file.
/// @throws io::FileError bad_input if it is damaged, or if its elements are not of type T
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
