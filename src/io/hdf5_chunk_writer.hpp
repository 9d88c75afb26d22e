// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <io/matrix_info.hpp>
#include <io/output_file.hpp>

namespace tessera::io {

class Hdf5ChunkWriter {
 public:
  /// @pre chunks are no larger than 16 MiB and the matrix
  Hdf5ChunkWriter(OutputFile& out, MatrixInfo const& info, Hdf5Chunks const& chunks);
  ~Hdf5ChunkWriter();
  Hdf5ChunkWriter(Hdf5ChunkWriter const&) = delete;
  Hdf5ChunkWriter& operator=(Hdf5ChunkWriter const&) = delete;

  /// Whole chunks, row by row, in the dataset's type; packed by several threads.
  void write(Block const& block, std::span<std::byte const> elements);

  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::io
