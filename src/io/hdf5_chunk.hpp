// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <io/hdf5_library.hpp>
#include <io/matrix_info.hpp>
#include <io/output_file.hpp>

namespace tessera::io {

/// Allocates at most what `stored` can expand to.
[[nodiscard]] std::vector<std::byte> unpack_chunk(std::vector<std::byte> stored,
                                                  Hdf5Facts const& facts,
                                                  std::uint64_t filters_left,
                                                  std::string const& path);

[[nodiscard]] std::vector<std::byte> pack_chunk(std::span<std::byte const> chunk,
                                                std::size_t element, int level,
                                                std::string const& path);

[[nodiscard]] inline std::uint64_t chunk_bytes(Hdf5Facts const& facts) {
  return facts.chunk_shape[0] * facts.chunk_shape[1] * size_of(facts.type);
}

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
