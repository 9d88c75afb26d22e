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
  stream::StateOf state;    ///< the operation, what it computes in, the shape
  io::FileIdentity file;    ///< the file of the matrix, as it was when the run began
  std::string file_sha256;  ///< of InputFile::sample()
  std::string dataset;      ///< of an HDF5 file; else empty
  std::string elements;     ///< how they are stored: "f32 little 128", type, order of bytes, place
  std::string vector_sha256;
  // Of a solver.
  std::string options{};  ///< that its state depends on: "damp 0.5"
  std::string limits{};   ///< that a run which resumes may change: "atol 1e-06"
};

/// A streamed run between two blocks: stream::State as bytes, which are elsewhere.
struct Checkpoint {
  using Bytes = std::span<std::byte const>;

  CheckpointJob const& job;
  std::int64_t blocks_done = 0;
  std::int64_t block_lines = 0;
  std::vector<Bytes> waiting;
  Bytes chain;
  Bytes output;
};

/// The file of --checkpoint during a run. Two runs cannot have the same one: each would overwrite
/// the state of the other. An empty name is no file, and only the first rank has one.
///
/// The lock is on one byte of the file's folder, which the file's name selects. It leaves nothing
/// behind, however the run ends. A file system without such locks gives no protection.
class CheckpointPlace {
 public:
  /// @throws Failure usage for a dataset, or the name of an open descriptor
  /// @throws io::FileError bad_output if no checkpoint can be written, or another run uses the file
  explicit CheckpointPlace(std::string const& path);

  /// Removes the state, since the result is in its place. A symbolic link to it stays.
  void remove() const;

 private:
  std::string target_;  // links followed
  io::Descriptor lock_;
};

/// Writes a checkpoint aside and puts it in its place: at any moment there is the old one or the
/// new one, whole. Takes no memory for the vectors. @throws io::FileError bad_output
void write_checkpoint(std::string const& path, Checkpoint const& checkpoint);

/// Writes a checkpoint, or says in a notice that it cannot be written now: a disk that is full for
/// a moment does not end a long run, which keeps its previous checkpoint and tries again later.
void try_checkpoint(std::string const& path, Checkpoint const& checkpoint);

/// The file of a checkpoint, read vector by vector. Opening it checks that its length matches its
/// header and that memory suffices. Damage is detected at the end, by finish().
class CheckpointFile {
 public:
  /// All ranks call it.
  /// @return nothing when there is no such file
  /// @throws io::FileError bad_input when it is damaged, or not the same for all ranks;
  /// out_of_memory
  [[nodiscard]] static std::optional<CheckpointFile> open(std::string const& path);

  [[nodiscard]] CheckpointJob const& job() const { return job_; }
  [[nodiscard]] std::int64_t blocks_done() const { return blocks_done_; }
  [[nodiscard]] std::int64_t block_lines() const { return block_lines_; }
  /// Bytes of the vectors, in file order: the waiting ones, the chain, the output.
  [[nodiscard]] std::vector<std::uint64_t> const& sizes() const { return sizes_; }

  /// Reads the next vector, whose size that is. @throws io::FileError bad_input
  void read(std::span<std::byte> to);
  /// Call it when all is read. @throws io::FileError bad_input when a byte of the file is not as it
  /// was written
  void finish();
  /// Throws FileError bad_input: the checkpoint cannot be used.
  [[noreturn]] void fail(std::string const& what) const;

 private:
  explicit CheckpointFile(io::InputFile file);
  void parse(std::string const& text);
  void require_size() const;
  /// The SHA-256 at its end.
  [[nodiscard]] std::string digest() const;

  io::InputFile file_;
  Sha256 sum_;
  std::uint64_t position_ = 0;
  CheckpointJob job_;
  std::int64_t blocks_done_ = 0;
  std::int64_t block_lines_ = 0;
  std::vector<std::uint64_t> sizes_;
};

/// Limits may differ. Earlier versions wrote no options: then nothing is said of them.
/// @throws io::FileError bad_input when the checkpoint is of another job
void require_job(CheckpointJob const& found, CheckpointJob const& job, std::string const& path);

/// A state of a job as a checkpoint, which has the state's elements.
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

/// The state in a checkpoint, which is read to its end.
/// @throws io::FileError bad_input when it is damaged, or not one of elements of T
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
