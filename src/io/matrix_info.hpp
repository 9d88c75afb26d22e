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

/// Element type of a View, in which all computation is done.
enum class ScalarType { f32, f64 };
/// Element type of a file: floating-point numbers, signed and unsigned integers, by their bits.
enum class ElementType : std::uint32_t { f16, f32, f64, i8, u8, i16, u16, i32, u32, i64, u64 };
/// Order of the elements: right = rows one after the other (C), left = columns (Fortran).
enum class Layout { right, left };
/// The file formats; table_of_formats() in formats.hpp has one row for each.
enum class Format { ex3, npy, npz, raw, hdf5, matrix_market, csv };

/// Bytes of one element.
[[nodiscard]] constexpr std::uint64_t size_of(ScalarType type) {
  return type == ScalarType::f32 ? sizeof(float) : sizeof(double);
}
/// @copydoc size_of
[[nodiscard]] std::uint64_t size_of(ElementType type);

/// The same type in a file.
[[nodiscard]] constexpr ElementType element_type(ScalarType type) {
  return type == ScalarType::f32 ? ElementType::f32 : ElementType::f64;
}
/// The default type in which elements are read: the smaller of the two that holds every number of
/// `type`; f64 for 64-bit integers, although f64 does not hold all of them.
[[nodiscard]] ScalarType scalar_type_of(ElementType type);

/// The ScalarType of float or double.
template <class T>
  requires std::is_same_v<T, float> || std::is_same_v<T, double>
inline constexpr ScalarType scalar_type =
    std::is_same_v<T, float> ? ScalarType::f32 : ScalarType::f64;

/// "f32" or "f64".
[[nodiscard]] std::string_view to_string(ScalarType type);
/// "f32" or "f64"; the others as NumPy names them: "float16", "int8", "uint64" …
[[nodiscard]] std::string_view to_string(ElementType type);
/// "row-major" or "column-major".
[[nodiscard]] std::string_view to_string(Layout layout);
/// "ex3", "npy", "npz", "raw", "hdf5", "mtx" or "csv".
[[nodiscard]] std::string_view to_string(Format format);

/// The header of a file. inspect() has checked it against the size of the file.
struct MatrixInfo {
  Format format = Format::raw;
  ScalarType type = ScalarType::f32;             ///< in which the elements are read
  ElementType stored = ElementType::f32;         ///< of the elements in the file
  std::endian byte_order = std::endian::little;  ///< of the elements in the file
  Layout layout = Layout::right;                 ///< right where dimensions == 1
  int dimensions = 2;                            ///< 2: a matrix, 1: a vector with rows entries
  std::uint64_t rows = 0;
  std::uint64_t cols = 1;
  std::uint64_t data_offset = 0;    ///< bytes from the start of the file to A
  std::uint64_t file_bytes = 0;     ///< of a pipe: what its header says
  bool has_vector = false;          ///< ex3: V with cols entries follows A
  std::uint64_t vector_offset = 0;  ///< bytes from the start of the file to V
  std::string version;              ///< .npy: "1.0" …; .h5 and text: how it is stored; else empty
  bool in_order_only = false;       ///< a pipe or packed: read once, first A, then V
  std::uint64_t chunk_rows = 0;     ///< .h5: rows per chunk; 0 if contiguous
  std::uint64_t chunk_cols = 0;     ///< .h5: columns per chunk; whole chunks are read fastest
  std::string inexact_in_f32;       ///< text: the sentence about an integer that f32 does
                                    ///< not hold exactly; empty: f32 holds all
  std::uint64_t reader_bytes = 0;   ///< .h5: memory of chunks, in addition to the target; text:
                                    ///< memory of all elements; others: little

  /// Elements of A (of the vector, if dimensions == 1).
  [[nodiscard]] std::uint64_t elements() const { return rows * cols; }
  /// Whether the type in the file differs from `type`, so that elements are converted.
  [[nodiscard]] bool is_converted() const { return stored != element_type(type); }
  /// Why a file that is in_order_only cannot be read at any position.
  [[nodiscard]] std::string_view obstacle() const {
    return format == Format::npz ? "a compressed member of an .npz file" : "a pipe";
  }
};

/// "f32"; with the type in the file if it differs: "f32 (int16 in the file)".
[[nodiscard]] std::string describe(ScalarType type, ElementType stored);

/// What the first line of a CSV file is: names of the columns, or numbers.
enum class CsvHeader {
  automatic,  ///< decided by its fields; a line that may be either is an error
  yes,        ///< names, whatever they look like
  no,         ///< numbers
};

/// What a file does not state itself: everything for raw elements, the meaning of line 1 for CSV.
struct RawFile {
  ScalarType type = ScalarType::f32;
  std::uint64_t rows = 0;  ///< 0: the whole file is one vector
  std::uint64_t cols = 0;
  Layout layout = Layout::right;
  CsvHeader header = CsvHeader::automatic;  ///< of a CSV file
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

/// Called repeatedly with the bytes done so far and the total; may be empty.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

}  // namespace tessera::io
