// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <bench/operation.hpp>
#include <check/terms.hpp>
#include <cstdint>
#include <span>
#include <string_view>

#include <app/backend/backends.hpp>

namespace tessera::app {

struct Measurement;
struct RunRequest;
struct Shape;
struct StreamRequest;

/// The operations of the command line.
using OperationId = check::Operation;

/// How often an operation moves each of its arrays through memory.
struct Traffic {
  std::int64_t matrix = 1;        ///< reads of A
  std::int64_t cols_vectors = 1;  ///< reads and writes of vectors as long as a row
  std::int64_t rows_vectors = 1;  ///< reads and writes of vectors as long as a column

  /// Of a block of `columns` vectors, of which up to `at_a_time` share each read of A.
  [[nodiscard]] constexpr Traffic of_block(std::int64_t columns, std::int64_t at_a_time) const {
    return {.matrix = matrix * ((columns + at_a_time - 1) / at_a_time),
            .cols_vectors = cols_vectors * columns,
            .rows_vectors = rows_vectors * columns};
  }
  /// Bytes for an m x n matrix of elements of `size` bytes.
  [[nodiscard]] constexpr std::uint64_t bytes(std::int64_t m, std::int64_t n,
                                              std::uint64_t size) const {
    return static_cast<std::uint64_t>(matrix * m * n + cols_vectors * n + rows_vectors * m) * size;
  }
};

/// Of A·V and of Aᵀ·B: the matrix and both vectors, once.
inline constexpr Traffic one_product{};

/// An operation on a matrix and a vector: what is known of it, and what runs it.
struct OperationRow : bench::Operation {
  OperationId id;
  /// Runs on the backend of the request; one warm-up, then `repeat` timed runs.
  /// @throws Failure resources when the backend is not in this build
  Measurement (*run)(RunRequest const& request);
  /// What it would move and hold on a backend of this build.
  Forecast (*forecast)(Shape const& shape, BackendChoice backend);

  [[nodiscard]] std::int64_t vector_length(std::int64_t m, std::int64_t n) const {
    return takes_rows_vector ? m : n;
  }
  [[nodiscard]] std::int64_t result_length(std::int64_t m, std::int64_t n) const {
    return gives_rows_vector ? m : n;
  }
};

/// The rows, each in the file of what runs it (app/operations).
[[nodiscard]] OperationRow row_of_atax();
[[nodiscard]] OperationRow row_of_multiply();
[[nodiscard]] OperationRow row_of_multiply_transposed();
[[nodiscard]] OperationRow row_of_multiply_both();

/// All operations.
[[nodiscard]] std::span<OperationRow const> table_of_operations();

/// The row of one operation.
[[nodiscard]] OperationRow const& row_of(OperationId id);

}  // namespace tessera::app
