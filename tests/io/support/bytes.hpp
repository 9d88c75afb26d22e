// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "io/support/folder.hpp"

// Files built without src/io.
namespace tessera::io::test {

template <class Unsigned>
Bytes little(Unsigned value) {
  Bytes bytes;
  std::uint64_t const word = value;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
    bytes.push_back(static_cast<char>(word >> (8 * i) & 0xffU));
  }
  return bytes;
}

template <class T>
Bytes bytes_of(std::vector<T> const& values, bool big_endian = false) {
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  Bytes bytes;
  for (T const value : values) {
    Bytes one = little(std::bit_cast<Word>(value));
    if (big_endian) one = Bytes(one.rbegin(), one.rend());
    bytes += one;
  }
  return bytes;
}

inline Bytes ex3_bytes(std::uint32_t columns, std::uint32_t rows, std::vector<float> const& A,
                       std::vector<float> const& V, Bytes const& padding = Bytes(8, '\0')) {
  return little(columns) + little(rows) + padding + bytes_of(A) + bytes_of(V);
}

inline Bytes npy_bytes(Bytes const& header, Bytes const& data, unsigned major = 1,
                       std::int64_t length = -1) {
  auto const size = length < 0 ? header.size() : static_cast<std::size_t>(length);
  Bytes bytes = "\x93NUMPY";
  bytes.push_back(static_cast<char>(major));
  bytes.push_back('\0');
  bytes += major == 1 ? little(static_cast<std::uint16_t>(size))
                      : little(static_cast<std::uint32_t>(size));
  return bytes + header + data;
}

inline Bytes npy_header(Bytes const& descr, Bytes const& shape, bool fortran_order = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran_order ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}

/// Of a .bed file: variant after variant, one code (0 to 3) for each sample.
inline Bytes bed_bytes(std::vector<unsigned> const& codes, std::size_t samples,
                       Bytes const& mark = "\x6c\x1b\x01") {
  Bytes bytes = mark;
  for (std::size_t k = 0; k < codes.size(); ++k) {
    std::size_t const place = k % samples % 4;
    if (place == 0) bytes.push_back('\0');
    bytes.back() =
        static_cast<char>(static_cast<unsigned char>(bytes.back()) | codes[k] << 2 * place);
  }
  return bytes;
}

/// Of a .fam or .bim file.
inline Bytes lines(std::size_t count, Bytes const& end = "\n") {
  Bytes text;
  for (std::size_t k = 0; k < count; ++k) text += "1 x" + std::to_string(k) + " 0 0 A G" + end;
  return text;
}

}  // namespace tessera::io::test
