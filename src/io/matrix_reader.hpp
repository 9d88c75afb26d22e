// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <io/errors.hpp>
#include <io/types.hpp>

namespace tessera::io {

class MatrixSource;

/// Which elements of a file: A (or the only vector), or the V that follows A in an ex3 file.
enum class Part { matrix, vector };

/// An open matrix file whose elements can be read in any order, piece by piece. read_matrix() and
/// read_vector() are built on it; row panels of a matrix larger than memory are read with it, too.
class MatrixReader {
 public:
  /// Opens the file and checks its header. raw_type: see inspect().
  /// @throws FileError bad_input
  explicit MatrixReader(std::string path, ScalarType raw_type = ScalarType::f32);
  ~MatrixReader();
  MatrixReader(MatrixReader&&) noexcept;
  MatrixReader& operator=(MatrixReader&&) noexcept;

  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  [[nodiscard]] MatrixInfo const& info() const noexcept;

  /// Reads to.size() elements, beginning with element `first` in the order of the file, and
  /// converts them to the type of `to`. May be called from several threads at once.
  /// @throws FileError bad_input when the file cannot be read or has become shorter
  void read(Part part, std::uint64_t first, std::span<float> to) const;
  /// @copydoc read
  void read(Part part, std::uint64_t first, std::span<double> to) const;

  /// @throws FileError bad_input when the file was changed since it was opened. Call it after the
  /// last read: until then, what was read may be half old and half new.
  void check_unchanged() const;

 private:
  std::string path_;
  std::unique_ptr<MatrixSource> source_;
};

}  // namespace tessera::io
