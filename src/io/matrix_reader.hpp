// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <io/errors.hpp>
#include <io/input_file.hpp>
#include <io/matrix_info.hpp>

namespace tessera::io {

class MatrixSource;

/// Which elements of a file: A (or the only vector), or the V that follows A in an ex3 file.
enum class Part { matrix, vector };

/// Whether a file of text is taken, which is read into memory as a whole when it is opened.
enum class Text { refused, taken };

/// An open matrix file whose elements can be read in any order (of a pipe: in theirs), piece by
/// piece. read_matrix() and read_vector() are built on it; panels of a matrix larger than memory
/// are read with it, too.
class MatrixReader {
 public:
  /// Opens the file and checks its header.
  /// @param raw describes a raw file; ignored for others
  /// @param reading in_order: the file may be a pipe. If it is one, info().in_order_only is set,
  ///                 and elements are read in their order, A before V, by one thread at a time
  /// @param format  empty: what the content says (format_of_content() in formats.hpp)
  /// @param text    taken: Matrix Market and CSV files are, too
  /// @throws FileError bad_input
  explicit MatrixReader(std::string path, RawFile const& raw = {},
                        Reading reading = Reading::anywhere,
                        std::optional<Format> format = std::nullopt, Text text = Text::refused);
  ~MatrixReader();
  MatrixReader(MatrixReader&&) noexcept;
  MatrixReader& operator=(MatrixReader&&) noexcept;

  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  [[nodiscard]] MatrixInfo const& info() const noexcept;

  /// Reads to.size() elements, beginning with element `first` in the order of the file, and
  /// converts them to the type of `to`. May be called from several threads at once, but see above.
  /// @throws FileError bad_input when the file cannot be read, has become shorter, or has an
  /// integer that the type of `to` does not hold exactly
  void read(Part part, std::uint64_t first, std::span<float> to) const;
  /// @copydoc read
  void read(Part part, std::uint64_t first, std::span<double> to) const;

  /// Reads a block of A in the order of the file, without gaps. Element (i, j) of the block is to[i
  /// * block.cols + j] if info().layout is right, and to[i + j * block.rows] if it is left. Blocks
  /// of whole lines are read fastest. Thread-safe.
  /// @pre the block is within A, and `to` has block.elements() elements
  /// @throws std::out_of_range if it is not
  /// @throws FileError bad_input as read() does
  void read_block(Block const& block, std::span<float> to) const;
  /// @copydoc read_block
  void read_block(Block const& block, std::span<double> to) const;

  /// Which elements are the vector that the file holds: V of an ex3 file, or a matrix with one row
  /// or column, or the only dimension.
  /// @param length the entries that are wanted; empty: any number
  /// @throws FileError bad_input if there is no vector, or if its length differs
  [[nodiscard]] Part vector_part(std::optional<std::uint64_t> length) const;

  /// @throws FileError bad_input when the file was changed since it was opened, or when a pipe,
  /// which is read to its end, does not end after A and V. Call it after the last read: until then,
  /// what was read may be half old and half new.
  void check_unchanged() const;

  /// The open file, which of HDF5 is the one around the dataset.
  [[nodiscard]] InputFile const& file() const noexcept;

 private:
  std::string path_;
  std::unique_ptr<MatrixSource> source_;
};

}  // namespace tessera::io
