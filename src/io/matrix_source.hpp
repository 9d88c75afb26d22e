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

class MatrixSource {
 public:
  virtual ~MatrixSource() = default;

  [[nodiscard]] MatrixInfo const& info() const noexcept { return info_; }

  /// In the type and byte order of the file. Thread-safe.
  virtual void read_stored(Part part, std::uint64_t first, std::span<std::byte> to) const = 0;

  /// In the order of the file. Thread-safe.
  virtual void read_stored_block(Block const& block, std::span<std::byte> to) const;

  /// Elements of ElementType::genotype, which are smaller than a byte. As read_stored() and
  /// read_stored_block(), but in the type of `to`. Thread-safe.
  virtual void read_widened(std::uint64_t first, std::span<float> to) const;
  virtual void read_widened(std::uint64_t first, std::span<double> to) const;
  virtual void read_widened(Block const& block, std::span<float> to) const;
  virtual void read_widened(Block const& block, std::span<double> to) const;

  /// As MatrixReader.
  [[nodiscard]] virtual std::uint64_t bytes_to_hold() const { return 0; }
  virtual void hold() const {}

  virtual void check_unchanged() const = 0;

  [[nodiscard]] virtual InputFile const& file() const = 0;

 protected:
  explicit MatrixSource(MatrixInfo info) : info_(std::move(info)) {}

 private:
  MatrixInfo info_;
};

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

/// Bytes in the format of the file, or elements.
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

void require_positions(InputFile const& file);

/// Reads elements as T, float or double. f64 to f32 rounds to nearest; f16 and bf16 keep every bit,
/// also of NaNs and subnormal numbers. As std::uint8_t or std::uint16_t: the bits of elements of
/// that size, as stored, in the byte order of this machine.
/// @throws FileError if T does not hold an integer exactly
/// @param where a part and a first element, or a block
template <class T, class... Where>
void read_converted(MatrixSource const& source, std::string const& path, std::span<T> to,
                    Where const&... where);

/// Refuses dimensions of zero and 2^64 bytes or more. Returns the bytes of header, A and V.
[[nodiscard]] std::uint64_t check_shape(InputFile const& file, MatrixInfo const& info);

/// As check_shape(). The bytes must fill the file exactly; check_unchanged() checks pipes later.
[[nodiscard]] std::uint64_t check_sizes(InputFile const& file, MatrixInfo const& info);

}  // namespace tessera::io
