// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <io/errors.hpp>
#include <io/output_file.hpp>
#include <io/types.hpp>

namespace tessera::io {

class MatrixSource;

/// One row of the table of formats: everything that the rest of src/io knows of a format.
struct FormatRow {
  Format format;
  std::string_view name;
  std::span<std::string_view const> extensions;  ///< with the dot; "" for no extension
  /// Opens and checks a file; raw_type is for formats without a type of their own.
  std::unique_ptr<MatrixSource> (*open)(std::string const& path, ScalarType raw_type);
  /// Writes one vector; null where the format cannot hold a vector alone.
  void (*write_vector)(OutputFile& out, ElementSpan elements);
};

/// All formats.
[[nodiscard]] std::span<FormatRow const> table_of_formats();

/// The row whose extensions have that of `path`. An upper-case extension counts, too.
/// @throws FileError bad_input, listing the known extensions
[[nodiscard]] FormatRow const& format_of(std::string const& path);

}  // namespace tessera::io
