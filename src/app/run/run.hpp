// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <array>
#include <bench/contender.hpp>
#include <bench/operation.hpp>
#include <check/terms.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <app/backend/backends.hpp>
#include <app/base/progress.hpp>
#include <app/base/ranks.hpp>
#include <io/matrix_info.hpp>
#include <io/types.hpp>
#include <tessera/backends/backend.hpp>
#include <tessera/options.hpp>

namespace tessera::app {

/// The operations of the command line.
using OperationId = check::Operation;
using check::Terms;

/// The cache preference of a GPU; empty: the default.
using MaybePreference = std::optional<backends::CachePreference>;

/// Data in memory and the operation on them.
struct RunRequest {
  io::HostMatrix const& A;
  io::HostVector const& x;   ///< of the type of A; contiguous vectors
  std::int64_t columns = 1;  ///< vectors in x, and in each result
  Method method = Method::automatic;
  Kernels kernels = Kernels::automatic;
  BackendChoice backend = BackendChoice::automatic;
  int repeat = 1;
  bool keep_intermediate = false;
  Terms terms = {};        ///< of atax; of two products at once, U as the map's vector
  std::string input = {};  ///< the file, for messages
  MaybePreference cache_preference = {};
  std::optional<Tuning> tuning = std::nullopt;  ///< instead of the backend's
};

/// Facts about a job before its data are read.
struct Shape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  io::ScalarType type = io::ScalarType::f32;  ///< to compute in
  io::Layout layout = io::Layout::right;
  std::int64_t columns = 1;  ///< vectors that A is multiplied with
  Method method = Method::automatic;
  Kernels kernels = Kernels::automatic;
  bool keep_intermediate = false;
  bool has_map = false;  ///< of atax: a vector between the products
  bool scales = false;   ///< C is multiplied, and may have a vector added
};

/// The shape of a matrix file, without vectors.
inline Shape shape_of(io::MatrixInfo const& info, io::ScalarType type) {
  return {.rows = static_cast<std::int64_t>(info.rows),
          .cols = static_cast<std::int64_t>(info.cols),
          .type = type,
          .layout = info.layout};
}

/// How a stage was divided into work, like the blocks and lines per block of ex3.
struct StageCut {
  std::string name;
  std::int64_t teams = 0;
  int team_size = 0;
  std::int64_t panels = 0;           ///< 0: the stage only adds along lines
  std::int64_t lines_per_panel = 0;  ///< 0: as `panels`
};

/// Facts about a streamed run.
struct StreamFacts {
  std::int64_t blocks = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t bytes_read = 0;  ///< of the matrix, by this run
  std::uint64_t memory_limit = 0;
  std::int64_t first_block = 0;  ///< above 0: the run resumed from a checkpoint
  std::string why = {};          ///< why the matrix is streamed
};

/// Results and measurements of a run.
struct Measurement {
  std::string method;  ///< "fused", "two-stage", "one-stage", "in-place", "streamed"
  std::optional<Kernels> kernels = std::nullopt;  ///< portable or accelerated
  TimeSummary seconds = {};
  std::vector<StageTime> stages = {};  ///< including copies to and from a device, if any
  std::uint64_t bytes = 0;             ///< least bytes moved through memory by one run
  std::vector<StageCut> cuts = {};
  io::HostVector result = {};
  std::optional<io::HostVector> intermediate = std::nullopt;  ///< B, or a second result
  io::HostMatrix matrix = {};                                 ///< the result, if it is a matrix
  double flops = 0;                       ///< of one run; 0 if the operation does not count them
  MaybePreference cache_preference = {};  ///< as the device reports it
  std::optional<StreamFacts> stream = std::nullopt;
  std::vector<RankFacts> ranks = {};  ///< of several processes
  std::string exchange = {};          ///< how ranks exchanged elements
};

/// "portable" or "accelerated".
[[nodiscard]] inline std::string kernels_of(Measurement const& run) {
  if (!run.kernels) return "";
  return *run.kernels == Kernels::portable ? "portable" : "accelerated";
}

/// Matrices in memory and the operation on them.
struct MatrixRequest {
  io::HostMatrix const& A;
  io::HostMatrix const* B = nullptr;  ///< for gemm, of the type of A
  bool in_place = false;              ///< for transpose
  BackendChoice backend = BackendChoice::automatic;
  Kernels kernels = Kernels::automatic;
  int repeat = 1;
  std::string input;  ///< the file, for messages
  MaybePreference cache_preference = {};
  bench::Launch launch = {};  ///< instead of the backend's choice
};

/// At = Aᵀ, in the order of A. One warm-up, then timed runs.
[[nodiscard]] Measurement run_transpose(MatrixRequest const& request);
/// C = A·B, in the order of A.
[[nodiscard]] Measurement run_gemm(MatrixRequest const& request);
/// Bytes of the workspace for a product of rows x depth and depth x cols.
[[nodiscard]] std::uint64_t workspace_of_gemm(std::int64_t rows, std::int64_t cols,
                                              std::int64_t depth, io::ScalarType type);

/// How often an operation moves each of its arrays through memory.
struct Traffic {
  std::int64_t matrix = 1;        ///< reads of A
  std::int64_t cols_vectors = 1;  ///< reads and writes of vectors as long as a row
  std::int64_t rows_vectors = 1;  ///< reads and writes of vectors as long as a column

  /// Traffic of a block of `columns` vectors, of which up to `at_a_time` share each read of A.
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

/// Traffic of A·V and of Aᵀ·B: the matrix and both vectors, once.
inline constexpr Traffic one_product{};

/// An operation on a matrix and a vector: its properties and its implementation.
struct OperationRow : bench::Operation {
  OperationId id;
  /// Runs on the backend of the request; one warm-up, then `repeat` timed runs.
  /// @throws Failure resources if the backend is not in this build
  Measurement (*run)(RunRequest const& request);
  /// The traffic and memory on a backend of this build.
  Forecast (*forecast)(Shape const& shape, BackendChoice backend);

  [[nodiscard]] std::int64_t vector_length(std::int64_t m, std::int64_t n) const {
    return takes_rows_vector ? m : n;
  }
  [[nodiscard]] std::int64_t result_length(std::int64_t m, std::int64_t n) const {
    return gives_rows_vector ? m : n;
  }
};

/// The rows. Each is defined in the file of its implementation (app/operations).
[[nodiscard]] OperationRow row_of_atax();
[[nodiscard]] OperationRow row_of_multiply();
[[nodiscard]] OperationRow row_of_multiply_transposed();
[[nodiscard]] OperationRow row_of_multiply_both();

/// All operations.
[[nodiscard]] inline std::span<OperationRow const> table_of_operations() {
  static std::array const table = {row_of_atax(), row_of_multiply(), row_of_multiply_transposed(),
                                   row_of_multiply_both()};
  return table;
}

/// The row of one operation.
[[nodiscard]] inline OperationRow const& row_of(OperationId id) {
  return *std::ranges::find(table_of_operations(), id, &OperationRow::id);
}

}  // namespace tessera::app
