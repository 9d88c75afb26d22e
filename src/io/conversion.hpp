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

/// What convert_file() is to make of which file.
struct ConversionRequest {
  std::string input;
  std::optional<Format> input_format = std::nullopt;  ///< empty: what its content says
  RawFile raw = {};  ///< what the input holds, where it is a raw file
  std::string output;
  std::optional<Format> output_format = std::nullopt;  ///< empty: what its extension says
  std::optional<ScalarType> type = std::nullopt;       ///< of the output; empty: that of the input
  std::optional<Layout> layout =
      std::nullopt;  ///< of the output; empty: that of the input where the format can hold it
  std::optional<Hdf5Chunks> chunks = std::nullopt;  ///< of an HDF5 output; empty: contiguous
  std::string vector = {};         ///< V of an ex3 output; empty: that of an ex3 input
  std::string vector_output = {};  ///< where V of an ex3 input goes; empty: nowhere. It may be
                                   ///< another dataset of the HDF5 file that the output is in.
  bool add_dataset = false;        ///< to an HDF5 file that exists; else it is refused
};

/// What convert_file() has read and written.
struct Conversion {
  MatrixInfo input;
  MatrixInfo output;
  bool vector_written = false;  ///< V is in the output or in a file of its own
  std::uint64_t not_finite =
      0;  ///< elements that are infinite or NaN, where f64 became f32; else 0
};

/// Copies a matrix or a vector from one file into another, which may be of another format, type or
/// order, piece by piece, with a few ten MiB of memory for files of any size, but for a file of
/// text, whose elements are all in memory (MatrixInfo::reader_bytes), and for large chunks. Every
/// bit stays what it is where the type stays; f64 to f32 rounds to nearest.
/// @param check is given what the content of the input says, before anything is written; it throws
///              what it refuses
/// @throws FileError bad_input or bad_output, also for what the format of the output cannot hold
Conversion convert_file(ConversionRequest const& request, Progress const& progress = {},
                        std::function<void(MatrixInfo const&)> const& check = {});

}  // namespace tessera::io
