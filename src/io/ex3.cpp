// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include <io/errors.hpp>
#include <io/format_functions.hpp>
#include <io/matrix_source.hpp>

namespace tessera::io {
namespace {

constexpr std::uint64_t header_bytes = 16;
constexpr std::uint64_t greatest_dimension = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::unique_ptr<MatrixSource> open_ex3(InputFile file, RawFile const& /*raw*/) {
  if (file.bytes() == 0) {
    file.fail("is empty: expected an ex3 test file with a header of 16 bytes, found 0 bytes");
  }
  if (file.bytes() < header_bytes) {
    file.fail("is truncated: expected an ex3 header of 16 bytes, found " +
              std::to_string(file.bytes()) + " bytes");
  }
  std::array<std::uint32_t, 2> header{};  // columns first
  file.read_at(0, std::as_writable_bytes(std::span(header)));

  MatrixInfo info;
  info.format = Format::ex3;
  info.cols = header[0];
  info.rows = header[1];
  info.data_offset = header_bytes;
  info.has_vector = true;
  info.file_bytes = check_sizes(file, info);
  info.vector_offset = header_bytes + info.elements() * sizeof(float);
  return std::make_unique<PlainSource>(std::move(file), std::move(info));
}

void begin_ex3_matrix(OutputFile& out, MatrixInfo const& info) {
  auto const fail = [&](std::string const& sentence) {
    throw FileError(ErrorKind::bad_output, out.path(), sentence);
  };
  if (info.type != ScalarType::f32) {
    fail("an ex3 test file holds only float32: expected f32, found " +
         std::string(to_string(info.type)));
  }
  if (info.layout != Layout::right) {
    fail("an ex3 test file is row-major: expected a row-major matrix, found a column-major one");
  }
  if (info.rows > greatest_dimension || info.cols > greatest_dimension) {
    fail("an ex3 test file has 32-bit dimensions: expected at most " +
         std::to_string(greatest_dimension) + ", found " + std::to_string(info.rows) + " rows x " +
         std::to_string(info.cols) + " columns");
  }
  std::array<std::uint32_t, 4> const header{static_cast<std::uint32_t>(info.cols),
                                            static_cast<std::uint32_t>(info.rows), 0, 0};
  out.write_elements(std::span<std::uint32_t const>(header));
}

}  // namespace tessera::io
