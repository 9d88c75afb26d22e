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

template <class T>
void read_as_stored(MatrixSource const& source, Part part, std::uint64_t first, std::span<T> to) {
  source.read_stored(part, first, std::as_writable_bytes(to));
  if (source.info().byte_order == std::endian::big) reverse_bytes(to);
}

template <class Stored, class T>
void read_through_buffer(MatrixSource const& source, Part part, std::uint64_t first,
                         std::span<T> to) {
  constexpr std::size_t buffer_bytes = 256 * 1024;
  std::vector<Stored> buffer(std::min(buffer_bytes / sizeof(Stored), to.size()));
  while (!to.empty()) {
    std::span<Stored> const piece(buffer.data(), std::min(buffer.size(), to.size()));
    read_as_stored(source, part, first, piece);
    std::ranges::transform(piece, to.begin(), [](Stored value) { return static_cast<T>(value); });
    first += piece.size();
    to = to.subspan(piece.size());
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

}  // namespace tessera::io
