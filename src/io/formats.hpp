// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <io/errors.hpp>
#include <io/input_file.hpp>
#include <io/matrix_info.hpp>
#include <io/output_file.hpp>

namespace tessera::io {

class MatrixSource;

/// A row of the table of formats: everything that the rest of src/io needs for a format.
struct FormatRow {
  Format format;
  std::string_view name;
  std::span<std::string_view const> extensions;  ///< with the dot; "" for no extension
  /// Checks an open file; `raw` describes files without a header.
  std::unique_ptr<MatrixSource> (*open)(InputFile file, RawFile const& raw);
  /// Writes the header of a matrix; null if the format holds no matrices.
  void (*begin_matrix)(OutputFile& out, MatrixInfo const& info);
  /// Writes the header of a vector; null if the format holds no single vectors.
  void (*begin_vector)(OutputFile& out, MatrixInfo const& info);
  bool vector_follows_matrix;  ///< V comes after A in the same file
  bool holds_columns;          ///< a matrix may be stored column by column
  bool holds_elements_only;    ///< a matrix without its shape, which the user must supply
  bool names_parts;            ///< holds several matrices, addressed as "FILE:NAME"
  bool is_text;                ///< read into memory as a whole: only for `convert` and `show`
};

/// All formats.
[[nodiscard]] std::span<FormatRow const> table_of_formats();

/// The row with the extension of `path`, ignoring case; null if the extension is unknown.
[[nodiscard]] FormatRow const* find_format(std::string const& path);

/// As find_format, for an output.
/// @throws FileError bad_input or bad_output, listing the extensions that can be written
[[nodiscard]] FormatRow const& format_of(std::string const& path);

/// The format of a file that is open for reading, detected from its content, not its name. Raw and
/// CSV files have no mark: these need their extension or `given`. ex3 test files have no mark
/// either: a file with the extension .ex3, none or an unknown one is an ex3 file if its size fits.
/// @param given the format that the user chose; empty: none
/// @param raw   rows and columns: a file that neither content nor name identifies is then raw
/// @throws FileError bad_input if the format is unknown
[[nodiscard]] FormatRow const& format_of_content(InputFile const& file, std::optional<Format> given,
                                                 RawFile const& raw);

/// Whether an output's name has no format: an open descriptor, such as /dev/stdout, or a named pipe
/// or a device without a known extension.
[[nodiscard]] bool has_no_extension_to_say(std::string const& path);

/// The format of an output: .npy if its name has none. Null if the extension is unknown.
/// @throws FileError bad_output if the path names a dataset of a file of another kind
[[nodiscard]] FormatRow const* find_format_of_result(std::string const& path);
/// @copydoc find_format_of_result
/// @throws FileError bad_input, listing the known extensions
[[nodiscard]] FormatRow const& format_of_result(std::string const& path);

/// The names in a file that holds several matrices, such as "A" or "/group/A". Empty for a file
/// that holds a single one, and for a path that already names one of several.
/// @throws FileError bad_input
[[nodiscard]] std::optional<std::vector<std::string>> parts_of(std::string const& path);

/// The row of a format.
[[nodiscard]] FormatRow const& row_of(Format format);

/// The extensions of the formats that `wanted` selects, for messages and help: ".npy, .bin".
[[nodiscard]] std::string list_of_extensions(std::function<bool(FormatRow const&)> const& wanted);

}  // namespace tessera::io
