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

[[nodiscard]] MatrixInfo inspect(std::string const& path, RawFile const& raw = {});

/// Besides the matrix.
[[nodiscard]] std::uint64_t reading_bytes(MatrixInfo const& info, ScalarType type);

/// The View has the file's layout: Fortran order gives LayoutLeft. Kokkos must be initialised.
/// @param type empty: as the file
[[nodiscard]] HostMatrix read_matrix(std::string const& path,
                                     std::optional<ScalarType> type = std::nullopt,
                                     Progress const& progress = {});

/// The caller calls reader.check_unchanged() at the end.
[[nodiscard]] HostMatrix read_matrix(MatrixReader const& reader,
                                     std::optional<ScalarType> type = std::nullopt,
                                     Progress const& progress = {});

/// Elements of 8 or 16 bits, not converted. Otherwise as read_matrix().
[[nodiscard]] StoredMatrix read_stored_matrix(MatrixReader const& reader,
                                              Progress const& progress = {});

struct VectorRequest {
  std::optional<std::uint64_t> length = std::nullopt;  ///< empty: any
  std::optional<ScalarType> type = std::nullopt;       ///< empty: as the file (raw: f32)
  bool convert = false;                                ///< false: another type is an error
};

/// See MatrixReader::vector_part().
[[nodiscard]] HostVector read_vector(std::string const& path, VectorRequest const& request = {});

[[nodiscard]] HostVector read_vector(MatrixReader const& reader, VectorRequest const& request);

}  // namespace tessera::io
