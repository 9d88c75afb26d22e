// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <io/errors.hpp>
#include <io/matrix_info.hpp>

namespace tessera::io {

/// The input and output of convert_file().
struct ConversionRequest {
  std::string input;
  std::optional<Format> input_format = std::nullopt;  ///< empty: detected from its content
  RawFile raw = {};                                   ///< describes the input if it is a raw file
  std::string output;
  std::optional<Format> output_format = std::nullopt;  ///< empty: by its extension
  std::optional<ScalarType> type = std::nullopt;       ///< of the output; empty: as the input
  std::optional<Layout> layout =
      std::nullopt;  ///< of the output; empty: as the input if the format can hold it
  std::optional<Hdf5Chunks> chunks = std::nullopt;  ///< of an HDF5 output; empty: contiguous
  std::string vector = {};         ///< V of an ex3 output; empty: V of an ex3 input
  std::string vector_output = {};  ///< file for V of an ex3 input; empty: none. May be another
                                   ///< dataset of the HDF5 file of the output.
  bool add_dataset = false;        ///< to an existing HDF5 file; without it such a file is refused
};

/// What convert_file() has read and written.
struct Conversion {
  MatrixInfo input;
  MatrixInfo output;
  bool vector_written = false;   ///< V is in the output or in a separate file
  std::uint64_t not_finite = 0;  ///< elements that are infinite or NaN after f64 became f32; else 0
};

/// Copies a matrix or a vector into another file, possibly of another format, type or order. Works
/// piece by piece, with a few ten MiB of memory for files of any size. Exceptions are text files,
/// whose elements are all in memory (MatrixInfo::reader_bytes), and large chunks. Without a change
/// of type every bit is kept; f64 to f32 rounds to nearest.
/// @param check is called with the header of the input before anything is written; may throw
/// @throws FileError bad_input or bad_output, also for what the format of the output cannot hold
Conversion convert_file(ConversionRequest const& request, Progress const& progress = {},
                        std::function<void(MatrixInfo const&)> const& check = {});

}  // namespace tessera::io
