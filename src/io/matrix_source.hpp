// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <io/input_file.hpp>
#include <io/matrix_info.hpp>
#include <io/matrix_reader.hpp>

namespace tessera::io {

/// The file behind a MatrixReader, in some format.
class MatrixSource {
 public:
  virtual ~MatrixSource() = default;

  [[nodiscard]] MatrixInfo const& info() const noexcept { return info_; }

  /// Fills `to`, whose size is a multiple of the element size, with elements as they are stored
  /// (type and byte order of the file), from element `first` of the part on. Thread-safe.
  virtual void read_stored(Part part, std::uint64_t first, std::span<std::byte> to) const = 0;

  /// Fills `to` with a block of A as it is stored, in the order of the file, without gaps. The
  /// block is within A, and `to` has its size. Thread-safe.
  virtual void read_stored_block(Block const& block, std::span<std::byte> to) const;

  /// Throws FileError bad_input if the file was changed since it was opened, or if a pipe does not
  /// end where it should.
  virtual void check_unchanged() const = 0;

  /// The file that is read.
  [[nodiscard]] virtual InputFile const& file() const = 0;

 protected:
  explicit MatrixSource(MatrixInfo info) : info_(std::move(info)) {}

 private:
  MatrixInfo info_;
};

/// A file with contiguous elements: every format that has only a header before them.
class PlainSource final : public MatrixSource {
 public:
  PlainSource(InputFile file, MatrixInfo info)
      : MatrixSource(with_order(std::move(info), file)), file_(std::move(file)) {}

  void read_stored(Part part, std::uint64_t first, std::span<std::byte> to) const override {
    auto const start = part == Part::matrix ? info().data_offset : info().vector_offset;
    file_.read_at(start + first * size_of(info().stored), to);
  }

  void check_unchanged() const override;
  [[nodiscard]] InputFile const& file() const override { return file_; }

 private:
  static MatrixInfo with_order(MatrixInfo info, InputFile const& file) {
    info.in_order_only = file.in_order_only();
    return info;
  }

  InputFile file_;
};

/// A matrix that is already in memory: as bytes in the format of the file, or as elements.
template <class Stored>
class MemorySource final : public MatrixSource {
 public:
  MemorySource(InputFile file, MatrixInfo info, std::vector<Stored> elements)
      : MatrixSource(std::move(info)), file_(std::move(file)), elements_(std::move(elements)) {}

  void read_stored(Part /*part*/, std::uint64_t first, std::span<std::byte> to) const override {
    auto const bytes = std::as_bytes(std::span(elements_));
    std::ranges::copy(bytes.subspan(first * size_of(info().stored), to.size()), to.begin());
  }

  void check_unchanged() const override { file_.check_unchanged(info().file_bytes); }
  [[nodiscard]] InputFile const& file() const override { return file_; }

 private:
  InputFile file_;
  std::vector<Stored> elements_;
};

/// Refuses a pipe, since the file must be read at any position. @throws FileError bad_input
void require_positions(InputFile const& file);

}  // namespace tessera::io
