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

// Blocks of matrices in chunks (MatrixInfo::chunk_rows). Each read unpacks every chunk that it
// touches, so reading a few rows at a time is slow.

/// Fills `to` with a block as MatrixReader::read_block() does. For a matrix in chunks, several
/// threads read different chunks, so that a call unpacks each chunk once.
/// @pre to.size() == block.elements(), and the block is within the matrix
/// @param progress called with bytes of the block, if the matrix is in chunks
/// @throws FileError
void read_whole_block(MatrixReader const& reader, Block const& block, std::span<float> to,
                      Progress const& progress = {});
/// @copydoc read_whole_block
void read_whole_block(MatrixReader const& reader, Block const& block, std::span<double> to,
                      Progress const& progress = {});

/// A buffer of rows for reading a matrix in chunks block by block. Chunks taller than a block are
/// unpacked once per buffer, not once per block.
struct RowBuffer {
  /// A buffer up to this size is allowed under any memory limit.
  static constexpr std::uint64_t free_bytes = std::uint64_t{16} << 20U;

  std::uint64_t rows = 0;   ///< 0: no buffer
  std::uint64_t bytes = 0;  ///< of these rows
  std::uint64_t times = 1;  ///< how often each chunk is unpacked
};

/// The buffer for a matrix whose elements are read as `type`: all rows of a chunk if they fit.
/// Without chunks there is no buffer.
/// @param most largest size in bytes
[[nodiscard]] RowBuffer row_buffer_of(MatrixInfo const& info, ScalarType type, std::uint64_t most);

/// Reads blocks of whole rows of a matrix in chunks, in order, through such a buffer. Not
/// thread-safe.
template <class T>
class BufferedRows {
 public:
  BufferedRows(MatrixReader const& reader, RowBuffer const& buffer)
      : reader_(reader), most_rows_(buffer.rows) {}

  /// As read_whole_block(). @throws FileError
  void read(Block const& block, std::span<T> to);

 private:
  MatrixReader const& reader_;
  std::uint64_t most_rows_;
  std::uint64_t first_ = 0;  // row of the buffer
  std::vector<T> elements_;  // of whole rows
};

/// Bytes for reading a whole matrix in chunks, without the matrix and the reader.
[[nodiscard]] std::uint64_t bytes_of_reading_in_chunks(MatrixInfo const& info, ScalarType type);

}  // namespace tessera::io
