// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

#include <app/backend/backends.hpp>
#include <io/matrix_info.hpp>
#include <io/matrix_reader.hpp>

/// Matrices of 8 or 16 bits an element, in memory as in the file.
namespace tessera::app {

/// Whether the file has such elements, and computing widens them to `type` without filling any in.
[[nodiscard]] bool has_stored(io::MatrixReader const& reader, io::ScalarType type);
/// On GPUs, products of floats are faster.
[[nodiscard]] bool may_hold_stored(io::MatrixReader const& reader, io::ScalarType type,
                                   BackendChoice backend);
/// Bytes that so many rows of floats need in addition.
[[nodiscard]] std::uint64_t bytes_of_widening(io::MatrixInfo const& info, std::int64_t rows);
/// Integers are finite.
[[nodiscard]] bool may_be_infinite(io::ElementType stored);
/// The type of a matrix, in a report.
[[nodiscard]] std::string describe_elements(io::ScalarType type, io::ElementType stored,
                                            bool is_held);

}  // namespace tessera::app
