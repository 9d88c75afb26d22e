// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include <io/errors.hpp>
#include <io/format_functions.hpp>
#include <io/hdf5_chunk.hpp>
#include <io/hdf5_chunk_writer.hpp>
#include <io/hdf5_library.hpp>
#include <io/memory.hpp>
#include <io/parallel_blocks.hpp>

namespace tessera::io {

struct Hdf5ChunkWriter::State {
  std::string path;
  MatrixInfo info;
  Hdf5Chunks chunks;
  Hdf5File file;
  std::mutex mutex;
};

Hdf5ChunkWriter::Hdf5ChunkWriter(OutputFile& out, MatrixInfo const& info,
                                 Hdf5Chunks const& chunks) {
  auto const refuse = [&](std::string const& expected) {
    throw FileError(ErrorKind::bad_output, out.path(),
                    "cannot be stored in such chunks: expected " + expected + ", found " +
                        std::to_string(chunks.rows) + " x " + std::to_string(chunks.cols) + " of " +
                        std::string(to_string(info.type)));
  };
  std::uint64_t bytes = 0;
  bool overflow = __builtin_mul_overflow(chunks.rows, chunks.cols, &bytes);
  overflow = __builtin_mul_overflow(bytes, size_of(info.type), &bytes) || overflow;
  if (overflow || bytes == 0 || bytes > Hdf5Chunks::most_bytes) refuse("1 element to 16 MiB");
  if (chunks.rows > info.rows || chunks.cols > info.cols) {
    refuse("at most the " + std::to_string(info.rows) + " x " + std::to_string(info.cols) +
           " of the matrix");
  }
  std::string const dataset = check_hdf5_output(out, info);
  static_cast<void>(create_hdf5_dataset(out.path(), out.temporary(), dataset, info, &chunks));
  state_.reset(new State{.path = out.path(),
                         .info = info,
                         .chunks = chunks,
                         .file = Hdf5File(out.path(), out.temporary(), dataset),
                         .mutex = {}});
}

Hdf5ChunkWriter::~Hdf5ChunkWriter() = default;

void Hdf5ChunkWriter::write(Block const& block, std::span<std::byte const> elements) {
  std::uint64_t const rows = state_->chunks.rows;
  std::uint64_t const cols = state_->chunks.cols;
  int const deflate = state_->chunks.deflate;
  std::uint64_t const element = size_of(state_->info.type);
  std::uint64_t const across = (block.cols - 1) / cols + 1;
  std::uint64_t const count = across * ((block.rows - 1) / rows + 1);
  parallel_blocks(count, 1,
                  [&](std::uint64_t number, std::uint64_t) {
                    std::uint64_t const row = number / across * rows;
                    std::uint64_t const col = number % across * cols;
                    std::uint64_t const height = std::min(rows, block.rows - row);
                    std::uint64_t const bytes = std::min(cols, block.cols - col) * element;
                    std::vector<std::byte> chunk(rows * cols * element);  // zeros beyond the edge
                    for (std::uint64_t i = 0; i < height; ++i) {
                      std::memcpy(chunk.data() + i * cols * element,
                                  elements.data() + ((row + i) * block.cols + col) * element,
                                  bytes);
                    }
                    if (deflate != 0) chunk = pack_chunk(chunk, element, deflate, state_->path);
                    std::lock_guard const lock(state_->mutex);
                    state_->file.write_chunk(block.row + row, block.col + col, chunk);
                  },
                  {});
}

void Hdf5ChunkWriter::close() {
  state_->file.close();
}

}  // namespace tessera::io
