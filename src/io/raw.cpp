// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include <io/format_functions.hpp>
#include <io/matrix_source.hpp>

namespace tessera::io {

std::unique_ptr<MatrixSource> open_raw(InputFile file, RawFile const& raw) {
  auto const type_name = std::string(to_string(raw.type));
  if (file.bytes() == 0) {
    file.fail("is empty: expected raw elements of type " + type_name + ", found 0 bytes");
  }
  if (file.in_order_only() && raw.rows == 0) {
    file.fail("has no length: expected rows and columns for raw elements from a pipe, found none");
  }
  if (file.bytes() % size_of(raw.type) != 0) {
    file.fail("ends inside an element: expected a multiple of " +
              std::to_string(size_of(raw.type)) + " bytes for raw " + type_name + ", found " +
              std::to_string(file.bytes()) + " bytes");
  }
  MatrixInfo info;
  info.format = Format::raw;
  info.type = raw.type;
  info.stored = element_type(raw.type);
  if (raw.rows == 0) {
    info.dimensions = 1;
    info.file_bytes = file.bytes();
    info.rows = file.bytes() / size_of(raw.type);
  } else {
    info.layout = raw.layout;
    info.rows = raw.rows;
    info.cols = raw.cols;
    info.file_bytes = check_sizes(file, info);
  }
  return std::make_unique<PlainSource>(std::move(file), std::move(info));
}

void begin_raw_vector(OutputFile& /*out*/, MatrixInfo const& /*info*/) {}

}  // namespace tessera::io
