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

/// In memory.
enum class ScalarType { f32, f64 };
/// In a file. Of a `genotype`, only its source knows the bits (.bed files).
enum class ElementType : std::uint32_t {
  f16,
  f32,
  f64,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  bf16,
  genotype
};
/// right: row by row (C); left: column by column (Fortran).
enum class Layout { right, left };
enum class Format { ex3, npy, npz, raw, hdf5, matrix_market, csv, bed };

[[nodiscard]] constexpr std::uint64_t size_of(ScalarType type) {
  return type == ScalarType::f32 ? sizeof(float) : sizeof(double);
}
/// 0 for `genotype`: less than a byte.
[[nodiscard]] std::uint64_t size_of(ElementType type);

[[nodiscard]] constexpr ElementType element_type(ScalarType type) {
  return type == ScalarType::f32 ? ElementType::f32 : ElementType::f64;
}
/// The smallest type that holds every number; f64 for 64-bit integers, which it may round.
[[nodiscard]] ScalarType scalar_type_of(ElementType type);

template <class T>
  requires std::is_same_v<T, float> || std::is_same_v<T, double>
inline constexpr ScalarType scalar_type =
    std::is_same_v<T, float> ? ScalarType::f32 : ScalarType::f64;

[[nodiscard]] std::string_view to_string(ScalarType type);
/// As in NumPy, except "f32" and "f64".
[[nodiscard]] std::string_view to_string(ElementType type);
[[nodiscard]] std::string_view to_string(Layout layout);
[[nodiscard]] std::string_view to_string(Format format);

struct MatrixInfo {
  Format format = Format::raw;
  ScalarType type = ScalarType::f32;
  ElementType stored = ElementType::f32;
  std::endian byte_order = std::endian::little;
  Layout layout = Layout::right;
  int dimensions = 2;  ///< 1: a vector of `rows` entries
  std::uint64_t rows = 0;
  std::uint64_t cols = 1;
  std::uint64_t data_offset = 0;
  std::uint64_t file_bytes = 0;
  bool has_vector = false;  ///< ex3: V follows A
  std::uint64_t vector_offset = 0;
  std::string version;           ///< .npy: "1.0" …; .h5 and text: storage
  bool in_order_only = false;    ///< read once, A before V
  std::uint64_t chunk_rows = 0;  ///< 0: contiguous
  std::uint64_t chunk_cols = 0;
  std::string inexact_in_f32;      ///< text: the message about an integer that f32 does not hold
  std::uint64_t reader_bytes = 0;  ///< in addition to the target

  [[nodiscard]] std::uint64_t elements() const { return rows * cols; }
  [[nodiscard]] bool is_converted() const { return stored != element_type(type); }
  [[nodiscard]] std::string_view obstacle() const {
    return format == Format::npz ? "a compressed member of an .npz file" : "a pipe";
  }
};

[[nodiscard]] std::string describe(ScalarType type, ElementType stored);

enum class CsvHeader {
  automatic,  ///< by the fields; a line that may be either is an error
  yes,
  no,
};

struct RawFile {
  ScalarType type = ScalarType::f32;
  std::uint64_t rows = 0;  ///< 0: the file is one vector
  std::uint64_t cols = 0;
  Layout layout = Layout::right;
  CsvHeader header = CsvHeader::automatic;
  bool missing_is_nan = false;  ///< of genotypes; else the mean of the column
};

struct Block {
  std::uint64_t row = 0;
  std::uint64_t col = 0;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;

  [[nodiscard]] std::uint64_t elements() const { return rows * cols; }
};

struct Hdf5Chunks {
  static constexpr std::uint64_t most_bytes = 16U << 20U;  ///< per chunk

  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  int deflate = 0;  ///< level 1 to 9, after a shuffle of the bytes; 0: neither
};

/// In bytes; may be empty.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

}  // namespace tessera::io
