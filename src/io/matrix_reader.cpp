// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include <io/convert.hpp>
#include <io/formats.hpp>
#include <io/matrix_reader.hpp>
#include <io/matrix_source.hpp>

namespace tessera::io {

MatrixReader::MatrixReader(std::string path, ScalarType raw_type)
    : path_(std::move(path)), source_(format_of(path_).open(path_, raw_type)) {}

MatrixReader::~MatrixReader() = default;
MatrixReader::MatrixReader(MatrixReader&&) noexcept = default;
MatrixReader& MatrixReader::operator=(MatrixReader&&) noexcept = default;

MatrixInfo const& MatrixReader::info() const noexcept {
  return source_->info();
}

void MatrixReader::read(Part part, std::uint64_t first, std::span<float> to) const {
  read_converted(*source_, part, first, to);
}

void MatrixReader::read(Part part, std::uint64_t first, std::span<double> to) const {
  read_converted(*source_, part, first, to);
}

void MatrixReader::check_unchanged() const {
  source_->check_unchanged();
}

}  // namespace tessera::io
