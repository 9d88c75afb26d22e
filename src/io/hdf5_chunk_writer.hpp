// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <io/matrix_info.hpp>
#include <io/output_file.hpp>

namespace tessera::io {

/// Writes an HDF5 dataset in chunks, packed or not.
class Hdf5ChunkWriter {
 public:
  /// Creates the dataset. @throws FileError bad_output, also for chunks larger than 16 MiB or than
  /// the matrix
  Hdf5ChunkWriter(OutputFile& out, MatrixInfo const& info, Hdf5Chunks const& chunks);
  ~Hdf5ChunkWriter();
  Hdf5ChunkWriter(Hdf5ChunkWriter const&) = delete;
  Hdf5ChunkWriter& operator=(Hdf5ChunkWriter const&) = delete;

  /// Writes a block of whole chunks, row by row, in the type of the dataset. Chunks at the right
  /// and lower edge end with the dataset. Several threads pack them.
  /// @throws FileError bad_output
  void write(Block const& block, std::span<std::byte const> elements);

  /// Ends the file; commit() the OutputFile afterwards. @throws FileError bad_output
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::io
