// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <io/errors.hpp>
#include <io/matrix_reader.hpp>
#include <io/types.hpp>

namespace tessera::io {

/// Reads the header of a file and checks it against the size of the file. Reads no data.
///
/// @param path     the file; its extension chooses the format (formats.hpp)
/// @param raw      describes a raw file; ignored for others
/// @throws FileError bad_input
[[nodiscard]] MatrixInfo inspect(std::string const& path, RawFile const& raw = {});

/// Most bytes that read_matrix() uses in addition to the matrix, without some hundred KiB per
/// thread.
/// @param type of the View
[[nodiscard]] std::uint64_t reading_bytes(MatrixInfo const& info, ScalarType type);

/// Reads a matrix directly into a View. Only pieces of packed chunks are copied.
///
/// The View has the layout of the file: Fortran order gives a LayoutLeft View. Big-endian and
/// converted elements go through a small buffer. Available memory is checked before allocation.
/// Kokkos must be initialised.
///
/// @param path     an ex3 or a two-dimensional .npy file
/// @param type     of the View; empty: as the file. f64 to f32 rounds to nearest, and values beyond
///                 the range of f32 become infinite.
/// @param progress called from the calling thread
/// @throws FileError bad_input or out_of_memory
[[nodiscard]] HostMatrix read_matrix(std::string const& path,
                                     std::optional<ScalarType> type = std::nullopt,
                                     Progress const& progress = {});

/// As above, for an open file, which may be a pipe. The caller calls reader.check_unchanged() when
/// everything is read.
[[nodiscard]] HostMatrix read_matrix(MatrixReader const& reader,
                                     std::optional<ScalarType> type = std::nullopt,
                                     Progress const& progress = {});

/// Requirements for a vector file.
struct VectorRequest {
  std::optional<std::uint64_t> length = std::nullopt;  ///< entries; empty: any number
  std::optional<ScalarType> type =
      std::nullopt;      ///< of the View; empty: that of the file (raw: f32)
  bool convert = false;  ///< false: a file of the other type is an error
};

/// Reads a vector: a .npy of shape (n,), (n, 1) or (1, n), a raw file, or the V of an ex3 file.
/// @throws FileError bad_input or out_of_memory
[[nodiscard]] HostVector read_vector(std::string const& path, VectorRequest const& request = {});

/// As above, for an open file. V of a pipe is read after A. The caller calls
/// reader.check_unchanged() when everything is read.
[[nodiscard]] HostVector read_vector(MatrixReader const& reader, VectorRequest const& request);

}  // namespace tessera::io
