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

struct ConversionRequest {
  std::string input;
  std::optional<Format> input_format = std::nullopt;  ///< empty: detected
  RawFile raw = {};
  std::string output;
  std::optional<Format> output_format = std::nullopt;  ///< empty: by the extension
  std::optional<ScalarType> type = std::nullopt;       ///< empty: as the input
  std::optional<Layout> layout = std::nullopt;  ///< empty: as the input if the format can hold it
  std::optional<Hdf5Chunks> chunks = std::nullopt;  ///< HDF5 only; empty: contiguous
  std::string vector = {};         ///< V of an ex3 output; empty: V of an ex3 input
  std::string vector_output = {};  ///< for V of an ex3 input; may be another dataset of the
                                   ///< output's file
  bool add_dataset = false;        ///< to an existing HDF5 file
};

struct Conversion {
  MatrixInfo input;
  MatrixInfo output;
  bool vector_written = false;   ///< to the output or to vector_output
  std::uint64_t not_finite = 0;  ///< after f64 became f32
};

/// Uses a few ten MiB, more for text files (MatrixInfo::reader_bytes) and large chunks. f64 to f32
/// rounds to nearest; otherwise every bit is kept.
/// @param check called with the input's header before anything is written; may throw
Conversion convert_file(ConversionRequest const& request, Progress const& progress = {},
                        std::function<void(MatrixInfo const&)> const& check = {});

}  // namespace tessera::io
