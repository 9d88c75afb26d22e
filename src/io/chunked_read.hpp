// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <io/errors.hpp>
#include <io/matrix_info.hpp>
#include <io/matrix_reader.hpp>

namespace tessera::io {

// Each read unpacks every chunk that it touches, so reading a few rows at a time is slow.

/// As MatrixReader::read_block(), by several threads that read different chunks.
template <class T>
void read_whole_block(MatrixReader const& reader, Block const& block, std::span<T> to,
                      Progress const& progress = {});

/// Keeps rows, so that a chunk taller than a block is unpacked once.
struct RowBuffer {
  /// Allowed under any memory limit.
  static constexpr std::uint64_t free_bytes = std::uint64_t{16} << 20U;

  std::uint64_t rows = 0;  ///< 0: no buffer
  std::uint64_t bytes = 0;
  std::uint64_t times = 1;  ///< how often each chunk is unpacked
};

/// A chunk's rows if they fit into `most` bytes, else fewer.
[[nodiscard]] RowBuffer row_buffer_of(MatrixInfo const& info, ScalarType type, std::uint64_t most);

/// Not thread-safe.
template <class T>
class BufferedRows {
 public:
  BufferedRows(MatrixReader const& reader, RowBuffer const& buffer)
      : reader_(reader), most_rows_(buffer.rows) {}

  void read(Block const& block, std::span<T> to);

 private:
  MatrixReader const& reader_;
  std::uint64_t most_rows_;
  std::uint64_t first_ = 0;
  std::vector<T> elements_;
};

/// Besides the matrix and the reader.
[[nodiscard]] std::uint64_t bytes_of_reading_in_chunks(MatrixInfo const& info, ScalarType type);

}  // namespace tessera::io
