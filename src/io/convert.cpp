// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include <io/errors.hpp>
#include <io/matrix_source.hpp>

namespace tessera::io {
namespace {

struct Half {
  std::uint16_t bits;
};
struct Bfloat {
  std::uint16_t bits;
};
struct Genotype {};

std::uint8_t reversed(std::uint8_t word) {
  return word;
}
std::uint16_t reversed(std::uint16_t word) {
  return __builtin_bswap16(word);
}
std::uint32_t reversed(std::uint32_t word) {
  return __builtin_bswap32(word);
}
std::uint64_t reversed(std::uint64_t word) {
  return __builtin_bswap64(word);
}

template <std::size_t size>
struct WordOf;
template <>
struct WordOf<1> {
  using Type = std::uint8_t;
};
template <>
struct WordOf<2> {
  using Type = std::uint16_t;
};
template <>
struct WordOf<4> {
  using Type = std::uint32_t;
};
template <>
struct WordOf<8> {
  using Type = std::uint64_t;
};

/// As integers, so that no NaN changes.
template <class T>
void reverse_bytes(std::span<T> elements) {
  using Word = typename WordOf<sizeof(T)>::Type;
  for (T& element : elements) {
    Word word = 0;
    std::memcpy(&word, &element, sizeof word);
    word = reversed(word);
    std::memcpy(&element, &word, sizeof word);
  }
}

constexpr std::size_t buffer_bytes = 256 * 1024;

void read_bytes(MatrixSource const& source, std::span<std::byte> to, Part part,
                std::uint64_t first) {
  source.read_stored(part, first, to);
}
void read_bytes(MatrixSource const& source, std::span<std::byte> to, Block const& block) {
  source.read_stored_block(block, to);
}

template <class T, class... Where>
void read_as_stored(MatrixSource const& source, std::span<T> to, Where const&... where) {
  read_bytes(source, std::as_writable_bytes(to), where...);
  if (source.info().byte_order == std::endian::big) reverse_bytes(to);
}

template <class T>
void read_genotypes(MatrixSource const& source, std::span<T> to, Part /*part*/,
                    std::uint64_t first) {
  source.read_widened(first, to);
}
template <class T>
void read_genotypes(MatrixSource const& source, std::span<T> to, Block const& block) {
  source.read_widened(block, to);
}

/// As integers, so that no floating-point mode changes a subnormal number or a NaN.
float to_float(Half half) {
  std::uint32_t const sign = std::uint32_t{half.bits & 0x8000U} << 16U;
  std::uint32_t const exponent = half.bits >> 10U & 0x1fU;
  std::uint32_t const fraction = half.bits & 0x3ffU;
  constexpr std::uint32_t more_bias = 127 - 15;
  std::uint32_t bits = (exponent + more_bias) << 23U | fraction << 13U;
  if (exponent == 0x1f) {
    bits = 0x7f800000U | fraction << 13U;
  } else if (exponent == 0 && fraction == 0) {
    bits = 0;
  } else if (exponent == 0) {  // a normal number
    auto const width = static_cast<std::uint32_t>(std::bit_width(fraction));
    bits = (width - 1 + 127 - 24) << 23U | (fraction << (24 - width) & 0x7fffffU);
  }
  return std::bit_cast<float>(sign | bits);
}

float to_float(Bfloat number) {
  return std::bit_cast<float>(std::uint32_t{number.bits} << 16U);
}

template <class T, class Integer>
bool holds(Integer value) {
  constexpr int digits = std::numeric_limits<T>::digits;
  if constexpr (std::numeric_limits<Integer>::digits > digits) {
    auto const bits = static_cast<std::uint64_t>(value);
    std::uint64_t const size = value < 0 ? 0 - bits : bits;
    return size >> digits == 0 ||
           static_cast<int>(std::bit_width(size)) - std::countr_zero(size) <= digits;
  } else {
    return true;
  }
}

template <class T, class Integer>
[[noreturn]] void refuse(std::string const& path, Integer value) {
  constexpr bool single = std::is_same_v<T, float>;
  throw FileError(ErrorKind::bad_input, path,
                  "has an integer that " + std::string(single ? "f32" : "f64") +
                      " does not hold exactly: expected at most " +
                      std::to_string(std::numeric_limits<T>::digits) + " significant bits, found " +
                      std::to_string(value) +
                      (single && holds<double>(value)
                           ? "; --type f64 holds it"
                           : "; store the integers as float64 where they may be rounded"));
}

template <class Stored, class T>
void convert(std::span<Stored const> from, std::span<T> to, std::string const& path) {
  if constexpr (std::is_same_v<Stored, Half> || std::is_same_v<Stored, Bfloat>) {
    std::ranges::transform(from, to.begin(),
                           [](Stored value) { return static_cast<T>(to_float(value)); });
  } else {
    if constexpr (std::is_integral_v<Stored>) {
      auto const bad = std::ranges::find_if_not(from, holds<T, Stored>);
      if (bad != from.end()) refuse<T>(path, *bad);
    }
    std::ranges::transform(from, to.begin(), [](Stored value) { return static_cast<T>(value); });
  }
}

template <class Stored, class T>
void read_through_buffer(MatrixSource const& source, std::string const& path, std::span<T> to,
                         Part part, std::uint64_t first) {
  std::vector<Stored> buffer(std::min(buffer_bytes / sizeof(Stored), to.size()));
  while (!to.empty()) {
    std::span<Stored> const piece(buffer.data(), std::min(buffer.size(), to.size()));
    read_as_stored(source, piece, part, first);
    convert(std::span<Stored const>(piece), to, path);
    first += piece.size();
    to = to.subspan(piece.size());
  }
}

template <class Stored, class T>
void read_through_buffer(MatrixSource const& source, std::string const& path, std::span<T> to,
                         Block const& block) {
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
      Block const its =
          right
              ? Block{.row = block.row + line, .col = block.col + first, .rows = rows, .cols = cols}
              : Block{
                    .row = block.row + first, .col = block.col + line, .rows = cols, .cols = rows};
      read_as_stored(source, piece, its);
      convert(std::span<Stored const>(piece), to.subspan(line * length + first, piece.size()),
              path);
    }
  }
}

template <class T>
void require_integers(MatrixSource const& source, std::string const& path) {
  if (std::is_same_v<T, double> || source.info().inexact_in_f32.empty()) return;
  throw FileError(ErrorKind::bad_input, path, source.info().inexact_in_f32);
}

template <class Use>
void with_stored(ElementType type, Use const& use) {
  switch (type) {
    case ElementType::f16:
      return use.template operator()<Half>();
    case ElementType::f32:
      return use.template operator()<float>();
    case ElementType::f64:
      return use.template operator()<double>();
    case ElementType::i8:
      return use.template operator()<std::int8_t>();
    case ElementType::u8:
      return use.template operator()<std::uint8_t>();
    case ElementType::i16:
      return use.template operator()<std::int16_t>();
    case ElementType::u16:
      return use.template operator()<std::uint16_t>();
    case ElementType::i32:
      return use.template operator()<std::int32_t>();
    case ElementType::u32:
      return use.template operator()<std::uint32_t>();
    case ElementType::i64:
      return use.template operator()<std::int64_t>();
    case ElementType::u64:
      return use.template operator()<std::uint64_t>();
    case ElementType::bf16:
      return use.template operator()<Bfloat>();
    case ElementType::genotype:
      return use.template operator()<Genotype>();
  }
}

}  // namespace

template <class T, class... Where>
void read_converted(MatrixSource const& source, std::string const& path, std::span<T> to,
                    Where const&... where) {
  if constexpr (std::is_integral_v<T>) {
    read_as_stored(source, to, where...);
  } else {
    require_integers<T>(source, path);
    with_stored(source.info().stored, [&]<class Stored>() {
      if constexpr (std::is_same_v<Stored, T>) {
        read_as_stored(source, to, where...);
      } else if constexpr (std::is_same_v<Stored, Genotype>) {
        read_genotypes(source, to, where...);
      } else {
        read_through_buffer<Stored>(source, path, to, where...);
      }
    });
  }
}

#define TESSERA_READ_CONVERTED(T)                                                                  \
  template void read_converted(MatrixSource const&, std::string const&, std::span<T>, Part const&, \
                               std::uint64_t const&);                                              \
  template void read_converted(MatrixSource const&, std::string const&, std::span<T>, Block const&);
TESSERA_READ_CONVERTED(float)
TESSERA_READ_CONVERTED(double)
TESSERA_READ_CONVERTED(std::uint8_t)
TESSERA_READ_CONVERTED(std::uint16_t)

}  // namespace tessera::io
