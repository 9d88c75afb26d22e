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

/// Whether text files are accepted. They are read into memory as a whole when they are opened.
enum class Text { refused, taken };

/// An open matrix file whose elements can be read piece by piece, in any order (of a pipe: in
/// sequence). read_matrix() and read_vector() use it, and so do streams over a matrix larger than
/// memory.
class MatrixReader {
 public:
  /// Opens the file and checks its header.
  /// @param raw describes a raw file; ignored for others
  /// @param reading in_order: the file may be a pipe. If it is one, info().in_order_only is set,
  ///                 and elements are read in their order, A before V, by one thread at a time
  /// @param format  empty: detected from the content (format_of_content() in formats.hpp)
  /// @param text    taken: also accepts Matrix Market and CSV files
  /// @throws FileError bad_input
  explicit MatrixReader(std::string path, RawFile const& raw = {},
                        Reading reading = Reading::anywhere,
                        std::optional<Format> format = std::nullopt, Text text = Text::refused);
  ~MatrixReader();
  MatrixReader(MatrixReader&&) noexcept;
  MatrixReader& operator=(MatrixReader&&) noexcept;

  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  [[nodiscard]] MatrixInfo const& info() const noexcept;

  /// Reads to.size() elements, starting at element `first` in the order of the file, and converts
  /// them to the type of `to`. Thread-safe, except for pipes.
  /// @throws FileError bad_input if the file cannot be read, has become shorter, or has an integer
  /// that the type of `to` does not hold exactly
  void read(Part part, std::uint64_t first, std::span<float> to) const;
  /// @copydoc read
  void read(Part part, std::uint64_t first, std::span<double> to) const;

  /// Reads a block of A in the order of the file, without gaps. If info().layout is right, element
  /// (i, j) of the block is to[i * block.cols + j]. If it is left, it is to[i + j * block.rows].
  /// Blocks of whole lines are read fastest. Thread-safe.
  /// @pre the block is within A, and `to` has block.elements() elements
  /// @throws std::out_of_range if it is not
  /// @throws FileError bad_input as read() does
  void read_block(Block const& block, std::span<float> to) const;
  /// @copydoc read_block
  void read_block(Block const& block, std::span<double> to) const;

  /// Selects the vector of the file: V of an ex3 file, a matrix with one row or column, or the only
  /// dimension.
  /// @param length required number of entries; empty: any number
  /// @throws FileError bad_input if there is no vector, or if its length differs
  [[nodiscard]] Part vector_part(std::optional<std::uint64_t> length) const;

  /// Checks that the file has not changed since it was opened. A pipe is read to its end, which
  /// must follow A and V. Call it after the last read: before, the elements read may be a mix of
  /// old and new.
  /// @throws FileError bad_input
  void check_unchanged() const;

  /// The open file; of HDF5, the file that contains the dataset.
  [[nodiscard]] InputFile const& file() const noexcept;

 private:
  std::string path_;
  std::unique_ptr<MatrixSource> source_;
};

}  // namespace tessera::io
