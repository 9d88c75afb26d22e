// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

namespace tessera::io {

static_assert(std::endian::native == std::endian::little,
              "tessera_io writes little-endian files straight from memory");

/// Element type of a file or of a View.
enum class ScalarType { f32, f64 };
/// Order of the elements: right = rows one after the other (C), left = columns (Fortran).
enum class Layout { right, left };
/// The file formats; table_of_formats() in formats.hpp has one row for each.
enum class Format { ex3, npy, raw, hdf5 };

/// Bytes of one element.
[[nodiscard]] constexpr std::uint64_t size_of(ScalarType type) {
  return type == ScalarType::f32 ? sizeof(float) : sizeof(double);
}

/// The ScalarType of float or double.
template <class T>
  requires std::is_same_v<T, float> || std::is_same_v<T, double>
inline constexpr ScalarType scalar_type =
    std::is_same_v<T, float> ? ScalarType::f32 : ScalarType::f64;

/// "f32" or "f64".
[[nodiscard]] std::string_view to_string(ScalarType type);
/// "right" or "left".
[[nodiscard]] std::string_view to_string(Layout layout);
/// "ex3", "npy", "raw" or "hdf5".
[[nodiscard]] std::string_view to_string(Format format);

/// What a file says about itself. inspect() has checked it against the size of the file.
struct MatrixInfo {
  Format format = Format::raw;
  ScalarType type = ScalarType::f32;             ///< of the elements in the file
  std::endian byte_order = std::endian::little;  ///< of the elements in the file
  Layout layout = Layout::right;                 ///< right where dimensions == 1
  int dimensions = 2;                            ///< 2: a matrix, 1: a vector with rows entries
  std::uint64_t rows = 0;
  std::uint64_t cols = 1;
  std::uint64_t data_offset = 0;    ///< bytes from the start of the file to A
  std::uint64_t file_bytes = 0;     ///< of a pipe: what its header says
  bool has_vector = false;          ///< ex3: V with cols entries follows A
  std::uint64_t vector_offset = 0;  ///< bytes from the start of the file to V
  std::string version;              ///< .npy: "1.0" …; .h5: how it is stored; else empty
  bool in_order_only = false;       ///< a pipe: it is read once, first A, then V
  std::uint64_t chunk_rows = 0;     ///< .h5: rows that are packed together, 0 where none are
  std::uint64_t chunk_cols = 0;     ///< the same of columns: whole chunks are read fastest

  /// Elements of A (of the vector, where dimensions == 1).
  [[nodiscard]] std::uint64_t elements() const { return rows * cols; }
};

/// What a raw file does not say about itself.
struct RawFile {
  ScalarType type = ScalarType::f32;
  std::uint64_t rows = 0;  ///< 0: the file is one vector, as long as it is
  std::uint64_t cols = 0;
  Layout layout = Layout::right;
};

/// Rows row … row + rows - 1 of columns col … col + cols - 1 of a matrix.
struct Block {
  std::uint64_t row = 0;
  std::uint64_t col = 0;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;

  /// Elements of the block.
  [[nodiscard]] std::uint64_t elements() const { return rows * cols; }
};

/// How an HDF5 dataset is to be packed. A chunk is no larger than the matrix.
struct Hdf5Chunks {
  static constexpr std::uint64_t most_bytes = 16U << 20U;  ///< of a chunk

  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  int deflate = 0;  ///< 1 (fast) to 9 (small), after a shuffle of the bytes; 0: neither
};

/// Called now and then with the bytes done so far and the bytes in all; may be empty.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

}  // namespace tessera::io
