// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <vector>

#include <io/chunked_read.hpp>
#include <io/parallel_blocks.hpp>

namespace tessera::io {
namespace {

/// Parts of whole chunks, in a grid.
struct Pieces {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  std::uint64_t first_row = 0;  ///< of the block's first piece, in the matrix's grid
  std::uint64_t first_col = 0;
  std::uint64_t across = 0;
  std::uint64_t count = 0;
};

Pieces pieces_of(MatrixInfo const& info, Block const& block, std::uint64_t element_bytes) {
  std::uint64_t const some = (256U << 10U) / element_bytes;
  auto const at_least = [](std::uint64_t chunk, std::uint64_t wanted, std::uint64_t most) {
    std::uint64_t const chunks = std::max<std::uint64_t>(1, wanted / chunk);
    return chunk > most / chunks ? most : chunks * chunk;
  };
  auto const count = [](std::uint64_t first, std::uint64_t size, std::uint64_t piece) {
    return (first + size - 1) / piece - first / piece + 1;
  };
  Pieces pieces;
  pieces.width = at_least(info.chunk_cols, some / std::min(info.chunk_rows, block.rows), info.cols);
  pieces.height = at_least(info.chunk_rows, some / std::min(pieces.width, block.cols), info.rows);
  pieces.first_row = block.row / pieces.height;
  pieces.first_col = block.col / pieces.width;
  pieces.across = count(block.col, block.cols, pieces.width);
  pieces.count = pieces.across * count(block.row, block.rows, pieces.height);
  return pieces;
}

Block part_of(Block const& block, Pieces const& pieces, std::uint64_t number) {
  std::uint64_t const row = (pieces.first_row + number / pieces.across) * pieces.height;
  std::uint64_t const col = (pieces.first_col + number % pieces.across) * pieces.width;
  std::uint64_t const top = std::max(row, block.row);
  std::uint64_t const left = std::max(col, block.col);
  return {.row = top,
          .col = left,
          .rows = std::min(row + pieces.height, block.row + block.rows) - top,
          .cols = std::min(col + pieces.width, block.col + block.cols) - left};
}

template <class T>
void read_as(MatrixReader const& reader, Block const& block, std::span<T> to,
             Progress const& progress) {
  if (reader.info().chunk_rows == 0) return reader.read_block(block, to);
  if (to.empty()) return;
  Pieces const pieces = pieces_of(reader.info(), block, sizeof(T));
  parallel_blocks(
      pieces.count, 1,
      [&](std::uint64_t number, std::uint64_t) {
        Block const part = part_of(block, pieces, number);
        if (part.cols == block.cols) {
          std::uint64_t const first = (part.row - block.row) * block.cols;
          return reader.read_block(part, to.subspan(first, part.elements()));
        }
        std::vector<T> elements(part.elements());
        reader.read_block(part, std::span(elements));
        for (std::uint64_t i = 0; i < part.rows; ++i) {
          std::copy_n(elements.data() + i * part.cols, part.cols,
                      to.data() + (part.row - block.row + i) * block.cols + (part.col - block.col));
        }
      },
      [&](std::uint64_t done) {
        std::uint64_t const bytes = to.size_bytes();
        std::uint64_t const all = pieces.count;
        if (progress) progress(bytes / all * done + (done == all ? bytes % all : 0), bytes);
      });
}

}  // namespace

template <class T>
void read_whole_block(MatrixReader const& reader, Block const& block, std::span<T> to,
                      Progress const& progress) {
  read_as(reader, block, to, progress);
}

template void read_whole_block(MatrixReader const&, Block const&, std::span<float>,
                               Progress const&);
template void read_whole_block(MatrixReader const&, Block const&, std::span<double>,
                               Progress const&);
template void read_whole_block(MatrixReader const&, Block const&, std::span<std::uint8_t>,
                               Progress const&);
template void read_whole_block(MatrixReader const&, Block const&, std::span<std::uint16_t>,
                               Progress const&);

RowBuffer row_buffer_of(MatrixInfo const& info, ScalarType type, std::uint64_t most) {
  RowBuffer buffer;
  if (info.chunk_rows == 0) return buffer;
  std::uint64_t const row = info.cols * size_of(type);
  std::uint64_t const tall = std::min(info.chunk_rows, info.rows);
  buffer.rows = std::min(tall, most / row);
  if (buffer.rows == 0) {
    buffer.times = tall;
    return buffer;
  }
  buffer.bytes = buffer.rows * row;
  buffer.times = (tall - 1) / buffer.rows + 1;
  return buffer;
}

template <class T>
void BufferedRows<T>::read(Block const& block, std::span<T> to) {
  MatrixInfo const& info = reader_.info();
  if (most_rows_ == 0 || block.cols != info.cols) return read_whole_block(reader_, block, to);
  std::uint64_t const end = block.row + block.rows;
  for (std::uint64_t row = block.row; row < end;) {
    std::uint64_t rows = elements_.size() / info.cols;
    if (row < first_ || row >= first_ + rows) {
      // To the end of the chunks: the next rows would unpack others again.
      rows = std::min({most_rows_, info.chunk_rows - row % info.chunk_rows, info.rows - row});
      first_ = row;
      elements_.resize(rows * info.cols);
      try {
        read_whole_block(reader_, {.row = row, .col = 0, .rows = rows, .cols = info.cols},
                         std::span<T>(elements_));
      } catch (...) {
        elements_.clear();
        throw;
      }
    }
    std::uint64_t const some = std::min(end, first_ + rows) - row;
    std::copy_n(elements_.data() + (row - first_) * info.cols, some * info.cols,
                to.data() + (row - block.row) * info.cols);
    row += some;
  }
}

template class BufferedRows<float>;
template class BufferedRows<double>;

std::uint64_t bytes_of_reading_in_chunks(MatrixInfo const& info, ScalarType type) {
  Pieces const pieces =
      pieces_of(info, {.row = 0, .col = 0, .rows = info.rows, .cols = info.cols}, size_of(type));
  if (pieces.across == 1) return 0;
  return std::min(default_threads, pieces.count) * pieces.width * pieces.height * size_of(type);
}

}  // namespace tessera::io
