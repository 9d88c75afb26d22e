// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <io/dataset_name.hpp>
#include <io/formats.hpp>
#include <io/matrix_reader.hpp>
#include <io/matrix_source.hpp>
#include <io/shell_word.hpp>

namespace tessera::io {

namespace {

void check_block(MatrixInfo const& info, Block const& block, std::size_t elements) {
  bool const inside = block.row <= info.rows && block.rows <= info.rows - block.row &&
                      block.col <= info.cols && block.cols <= info.cols - block.col;
  if (!inside || elements != block.elements()) {
    throw std::out_of_range("tessera::io::MatrixReader::read_block: not a block of the matrix");
  }
}

void check_size(MatrixInfo const& info, std::size_t bytes) {
  if (size_of(info.stored) == bytes) return;
  throw std::invalid_argument("tessera::io::MatrixReader: elements of the file have another size");
}

std::unique_ptr<MatrixSource> open(std::string const& path, RawFile const& raw, Reading reading,
                                   std::optional<Format> format, Text text) {
  DatasetName const name = split_dataset(path);
  InputFile file(name.file, path, reading);
  FormatRow const& row = format_of_content(file, format, raw);
  if (!name.dataset.empty() && !row.names_parts) {
    file.fail("holds one array: expected " + name.file + " alone for a file of the format " +
              std::string(to_string(row.format)) + ", found ':" + printable(name.dataset) +
              "' after it");
  }
  if (row.is_text && text == Text::refused) {
    file.fail("is a " + std::string(row.name) +
              ": expected a binary file, found text; `tessera convert " + shell_file(path) +
              " FILE.npy` converts it");
  }
  return row.open(std::move(file), raw);
}

}  // namespace

MatrixReader::MatrixReader(std::string path, RawFile const& raw, Reading reading,
                           std::optional<Format> format, Text text)
    : path_(std::move(path)), source_(open(path_, raw, reading, format, text)) {}

MatrixReader::~MatrixReader() = default;
MatrixReader::MatrixReader(MatrixReader&&) noexcept = default;
MatrixReader& MatrixReader::operator=(MatrixReader&&) noexcept = default;

MatrixInfo const& MatrixReader::info() const noexcept {
  return source_->info();
}

void MatrixReader::fill_missing(double code, std::vector<double> means) {
  missing_ = code;
  means_ = std::move(means);
}

/// `to` begins at `place` of a line of `length` elements, in column `col`.
template <class T>
void MatrixReader::fill(std::span<T> to, std::uint64_t length, std::uint64_t place,
                        std::uint64_t col) const {
  if constexpr (std::is_integral_v<T>) {
    throw std::logic_error("tessera::io: filled elements are not those of the file");
  } else {
    bool const by_rows = info().layout == Layout::right;
    bool const is_nan = std::isnan(missing_);
    auto const code = static_cast<T>(missing_);
    if (std::isinf(code) && !std::isinf(missing_)) return;  // beyond the largest entry
    for (T& x : to) {
      bool const is_missing = is_nan ? std::isnan(x) : x == code;
      if (is_missing) x = static_cast<T>(means_[by_rows ? col + place : col]);
      if (++place < length) continue;
      place = 0;
      if (!by_rows) ++col;
    }
  }
}

template <class T>
void MatrixReader::read(Part part, std::uint64_t first, std::span<T> to) const {
  if (std::is_integral_v<T>) check_size(info(), sizeof(T));
  read_converted(*source_, path_, to, part, first);
  if (!fills_missing() || part != Part::matrix) return;
  bool const by_rows = info().layout == Layout::right;
  std::uint64_t const length = by_rows ? info().cols : info().rows;
  if (length > 0) fill(to, length, first % length, by_rows ? 0 : first / length);
}

template <class T>
void MatrixReader::read_block(Block const& block, std::span<T> to) const {
  if (std::is_integral_v<T>) check_size(info(), sizeof(T));
  check_block(info(), block, to.size());
  read_converted(*source_, path_, to, block);
  if (!fills_missing()) return;
  fill(to, info().layout == Layout::right ? block.cols : block.rows, 0, block.col);
}

#define TESSERA_READ_AS(T)                                                   \
  template void MatrixReader::read(Part, std::uint64_t, std::span<T>) const; \
  template void MatrixReader::read_block(Block const&, std::span<T>) const;
TESSERA_READ_AS(float)
TESSERA_READ_AS(double)
TESSERA_READ_AS(std::uint8_t)
TESSERA_READ_AS(std::uint16_t)

Part MatrixReader::vector_part(std::optional<std::uint64_t> length) const {
  MatrixInfo const& about = info();
  auto const fail = [&](std::string const& sentence) {
    throw FileError(ErrorKind::bad_input, path_, sentence);
  };
  if (!about.has_vector && about.dimensions == 2 && about.rows != 1 && about.cols != 1) {
    fail("is not a vector: expected one dimension, found a matrix, " + std::to_string(about.rows) +
         " x " + std::to_string(about.cols));
  }
  std::uint64_t const found = about.has_vector ? about.cols : about.elements();
  if (length && found != *length) {
    fail("has a vector of the wrong length: expected " + std::to_string(*length) +
         " entries, found " + std::to_string(found) +
         (about.format == Format::raw ? " of " + std::string(to_string(about.type)) : ""));
  }
  return about.has_vector ? Part::vector : Part::matrix;
}

std::uint64_t MatrixReader::bytes_to_hold() const {
  return source_->bytes_to_hold();
}

void MatrixReader::hold() const {
  source_->hold();
}

void MatrixReader::check_unchanged() const {
  source_->check_unchanged();
}

InputFile const& MatrixReader::file() const noexcept {
  return source_->file();
}

}  // namespace tessera::io
