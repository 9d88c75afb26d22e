// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <io/input_file.hpp>
#include <io/matrix_info.hpp>
#include <io/matrix_reader.hpp>

namespace tessera::io {

/// Where a MatrixReader gets its elements from: one open file of some format.
class MatrixSource {
 public:
  virtual ~MatrixSource() = default;

  [[nodiscard]] MatrixInfo const& info() const noexcept { return info_; }

  /// Fills `to`, whose size is a multiple of the element size, with elements as they are stored
  /// (type and byte order of the file), from element `first` of the part on. Thread-safe.
  virtual void read_stored(Part part, std::uint64_t first, std::span<std::byte> to) const = 0;

  /// Fills `to` with a block of A as it is stored, in the order of the file, without gaps: the
  /// block lies within A, and `to` has its size. Thread-safe.
  virtual void read_stored_block(Block const& block, std::span<std::byte> to) const;

  /// Throws FileError bad_input when the file was changed since it was opened, or when a pipe does
  /// not end where it should.
  virtual void check_unchanged() const = 0;

 protected:
  explicit MatrixSource(MatrixInfo info) : info_(std::move(info)) {}

 private:
  MatrixInfo info_;
};

/// A file whose elements lie one after the other: all formats with nothing but a header before.
class PlainSource final : public MatrixSource {
 public:
  PlainSource(InputFile file, MatrixInfo info)
      : MatrixSource(with_order(std::move(info), file)), file_(std::move(file)) {}

  void read_stored(Part part, std::uint64_t first, std::span<std::byte> to) const override {
    auto const start = part == Part::matrix ? info().data_offset : info().vector_offset;
    file_.read_at(start + first * size_of(info().type), to);
  }

  void check_unchanged() const override { file_.check_unchanged(info().file_bytes); }

 private:
  static MatrixInfo with_order(MatrixInfo info, InputFile const& file) {
    info.in_order_only = file.in_order_only();
    return info;
  }

  InputFile file_;
};

}  // namespace tessera::io
