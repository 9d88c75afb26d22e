// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <io/errors.hpp>
#include <io/input_file.hpp>
#include <io/matrix_info.hpp>

namespace tessera::io {

class MatrixSource;

/// `vector` is V of an ex3 file; the only vector of a file is `matrix`.
enum class Part { matrix, vector };

/// Text files are read into memory.
enum class Text { refused, taken };

class MatrixReader {
 public:
  /// @param reading in_order: may be a pipe; then one thread at a time reads A, then V
  /// @param format empty: format_of_content()
  explicit MatrixReader(std::string path, RawFile const& raw = {},
                        Reading reading = Reading::anywhere,
                        std::optional<Format> format = std::nullopt, Text text = Text::refused);
  ~MatrixReader();
  MatrixReader(MatrixReader&&) noexcept;
  MatrixReader& operator=(MatrixReader&&) noexcept;

  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  [[nodiscard]] MatrixInfo const& info() const noexcept;

  /// In the order of the file. Thread-safe, except for pipes. T is float or double; or std::uint8_t
  /// or std::uint16_t for the bits of elements of this size, as stored, in the byte order of this
  /// machine.
  /// @throws FileError also if the type does not hold an integer exactly
  template <class T>
  void read(Part part, std::uint64_t first, std::span<T> to) const;

  /// In the order of the file: (i, j) is to[i * block.cols + j], for layout left to[i + j *
  /// block.rows]. Whole lines are fastest. Thread-safe.
  /// @throws std::out_of_range if the block is not in A
  template <class T>
  void read_block(Block const& block, std::span<T> to) const;

  /// From now on, entries of the matrix that are equal to `code`, or NaN if it is NaN, are read as
  /// the mean of their column. Both are rounded to the type that is read. Elements are not read as
  /// stored.
  void fill_missing(double code, std::vector<double> means);
  [[nodiscard]] bool fills_missing() const noexcept { return !means_.empty(); }

  /// Bytes that hold() needs; 0: it does nothing.
  [[nodiscard]] std::uint64_t bytes_to_hold() const;
  /// Reads the matrix into memory as stored. Later reads find it there. Not thread-safe.
  void hold() const;

  /// The file's vector: V of an ex3 file, a single row or column, or the only dimension.
  /// @param length required; empty: any
  [[nodiscard]] Part vector_part(std::optional<std::uint64_t> length) const;

  /// Call it after the last read: earlier, elements may be a mix of old and new.
  void check_unchanged() const;

  [[nodiscard]] InputFile const& file() const noexcept;

 private:
  template <class T>
  void fill(std::span<T> to, std::uint64_t length, std::uint64_t place, std::uint64_t col) const;

  double missing_ = 0;
  std::vector<double> means_{};  ///< of columns; empty: nothing is filled
  std::string path_;
  std::unique_ptr<MatrixSource> source_;
};

}  // namespace tessera::io
