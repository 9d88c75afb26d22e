// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
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

struct FormatRow {
  Format format;
  std::string_view name;
  std::span<std::string_view const> extensions;  ///< with the dot; "": none
  std::unique_ptr<MatrixSource> (*open)(InputFile file, RawFile const& raw);
  /// Null if the format is not written as a matrix, or as a single vector.
  void (*begin_matrix)(OutputFile& out, MatrixInfo const& info) = nullptr;
  void (*begin_vector)(OutputFile& out, MatrixInfo const& info) = nullptr;
  bool vector_follows_matrix = false;  ///< in the same file
  bool holds_columns = false;          ///< written: also column-major
  bool holds_elements_only = false;    ///< without its shape
  bool names_parts = false;            ///< several matrices, as "FILE:NAME"
  bool is_text = false;
};

/// Ignores case; null if unknown.
[[nodiscard]] FormatRow const* find_format(std::string const& path);

/// Of an output, by its extension.
[[nodiscard]] FormatRow const& format_of(std::string const& path);

/// Raw and CSV files have no mark: they need their extension or `given`. A file without a mark
/// whose extension is .ex3, missing or unknown is an ex3 file if its size fits.
/// @param raw if it has rows, an unknown file is raw
[[nodiscard]] FormatRow const& format_of_content(InputFile const& file, std::optional<Format> given,
                                                 RawFile const& raw);

/// Whether the name implies no format: /dev/stdout, or a pipe or device with an unknown extension.
[[nodiscard]] bool has_no_extension_to_say(std::string const& path);

/// .npy if has_no_extension_to_say(); null if the extension is unknown.
[[nodiscard]] FormatRow const* find_format_of_result(std::string const& path);
[[nodiscard]] FormatRow const& format_of_result(std::string const& path);

/// Names such as "/group/A". Empty for a file of a single matrix and for a path that names one.
[[nodiscard]] std::optional<std::vector<std::string>> parts_of(std::string const& path);

[[nodiscard]] FormatRow const& row_of(Format format);

[[nodiscard]] std::string list_of_extensions(std::function<bool(FormatRow const&)> const& wanted);

/// ".npy"; "none", or "a directory", for an error.
[[nodiscard]] std::string extension_of(std::string const& path);

}  // namespace tessera::io
