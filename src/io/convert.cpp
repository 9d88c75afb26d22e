// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include <io/convert.hpp>

namespace tessera::io {
namespace {

std::uint32_t reversed(std::uint32_t word) {
  return __builtin_bswap32(word);
}
std::uint64_t reversed(std::uint64_t word) {
  return __builtin_bswap64(word);
}

/// Reverses the bytes of each element. Works on words, so that no NaN is touched on the way.
template <class T>
void reverse_bytes(std::span<T> elements) {
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  for (T& element : elements) {
    Word word = 0;
    std::memcpy(&word, &element, sizeof word);
    word = reversed(word);
    std::memcpy(&element, &word, sizeof word);
  }
}

constexpr std::size_t buffer_bytes = 256 * 1024;

template <class T>
void read_as_stored(MatrixSource const& source, Part part, std::uint64_t first, std::span<T> to) {
  source.read_stored(part, first, std::as_writable_bytes(to));
  if (source.info().byte_order == std::endian::big) reverse_bytes(to);
}

template <class T>
void read_as_stored(MatrixSource const& source, Block const& block, std::span<T> to) {
  source.read_stored_block(block, std::as_writable_bytes(to));
  if (source.info().byte_order == std::endian::big) reverse_bytes(to);
}

template <class Stored, class T>
void convert(std::span<Stored const> from, std::span<T> to) {
  std::ranges::transform(from, to.begin(), [](Stored value) { return static_cast<T>(value); });
}

template <class Stored, class T>
void read_through_buffer(MatrixSource const& source, Part part, std::uint64_t first,
                         std::span<T> to) {
  std::vector<Stored> buffer(std::min(buffer_bytes / sizeof(Stored), to.size()));
  while (!to.empty()) {
    std::span<Stored> const piece(buffer.data(), std::min(buffer.size(), to.size()));
    read_as_stored(source, part, first, piece);
    convert(std::span<Stored const>(piece), to);
    first += piece.size();
    to = to.subspan(piece.size());
  }
}

/// Piece by piece: some whole lines of the block, or a part of one where lines are long.
template <class Stored, class T>
void read_through_buffer(MatrixSource const& source, Block const& block, std::span<T> to) {
  constexpr std::uint64_t most = buffer_bytes / sizeof(Stored);
  bool const right = source.info().layout == Layout::right;
  std::uint64_t const lines = right ? block.rows : block.cols;
  std::uint64_t const length = right ? block.cols : block.rows;
  if (to.empty()) return;
  std::uint64_t const width = std::min(length, most);
  std::uint64_t const height = std::min(lines, most / width);
  std::vector<Stored> buffer(height * width);
  for (std::uint64_t line = 0; line < lines; line += height) {
    for (std::uint64_t first = 0; first < length; first += width) {
      std::uint64_t const rows = std::min(height, lines - line);
      std::uint64_t const cols = std::min(width, length - first);
      std::span<Stored> const piece(buffer.data(), rows * cols);
      read_as_stored(
          source,
          right
              ? Block{.row = block.row + line, .col = block.col + first, .rows = rows, .cols = cols}
              : Block{.row = block.row + first,
                      .col = block.col + line,
                      .rows = cols,
                      .cols = rows},
          piece);
      // Either all of some lines or a part of one: both are contiguous in `to`.
      convert(std::span<Stored const>(piece), to.subspan(line * length + first, piece.size()));
    }
  }
}

}  // namespace

void read_converted(MatrixSource const& source, Part part, std::uint64_t first,
                    std::span<float> to) {
  if (source.info().type == ScalarType::f32) {
    read_as_stored(source, part, first, to);
  } else {
    read_through_buffer<double>(source, part, first, to);
  }
}

void read_converted(MatrixSource const& source, Part part, std::uint64_t first,
                    std::span<double> to) {
  if (source.info().type == ScalarType::f64) {
    read_as_stored(source, part, first, to);
  } else {
    read_through_buffer<float>(source, part, first, to);
  }
}

void read_block_converted(MatrixSource const& source, Block const& block, std::span<float> to) {
  if (source.info().type == ScalarType::f32) {
    read_as_stored(source, block, to);
  } else {
    read_through_buffer<double>(source, block, to);
  }
}

void read_block_converted(MatrixSource const& source, Block const& block, std::span<double> to) {
  if (source.info().type == ScalarType::f64) {
    read_as_stored(source, block, to);
  } else {
    read_through_buffer<float>(source, block, to);
  }
}

}  // namespace tessera::io
