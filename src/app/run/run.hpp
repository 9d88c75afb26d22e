// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <bench/contender.hpp>
#include <bench/operation.hpp>
#include <check/terms.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <app/backend/backends.hpp>
#include <app/base/progress.hpp>
#include <app/base/ranks.hpp>
#include <io/matrix_info.hpp>
#include <io/types.hpp>
#include <tessera/backends/backend.hpp>
#include <tessera/options.hpp>

namespace tessera::app {

using OperationId = check::Operation;
using check::Terms;

using MaybePreference = std::optional<backends::CachePreference>;

/// What products in memory, streams and ranks compute.
struct ProductRequest {
  io::HostVector const& x;
  std::int64_t columns = 1;  ///< vectors in x and results
  Method method = Method::automatic;
  Kernels kernels = Kernels::automatic;
  BackendChoice backend = BackendChoice::automatic;
  bool keep_intermediate = false;
  Terms terms = {};
};

struct RunRequest : ProductRequest {
  io::HostMatrix const& A;
  int repeat = 1;
  std::string input = {};
  MaybePreference cache_preference = {};
  std::optional<Tuning> tuning = std::nullopt;            ///< instead of the backend's
  std::optional<io::StoredMatrix> stored = std::nullopt;  ///< instead of A
  io::ElementType stored_type = io::ElementType::f32;
};

struct Shape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  io::ScalarType type = io::ScalarType::f32;
  io::Layout layout = io::Layout::right;
  std::int64_t columns = 1;  ///< vectors per read of A
  Method method = Method::automatic;
  Kernels kernels = Kernels::automatic;
  bool keep_intermediate = false;
  bool has_map = false;
  bool scales = false;  ///< by α, or adds β·z
};

inline Shape shape_of(io::MatrixInfo const& info, io::ScalarType type) {
  return {.rows = static_cast<std::int64_t>(info.rows),
          .cols = static_cast<std::int64_t>(info.cols),
          .type = type,
          .layout = info.layout};
}

inline Shape transpose_of(Shape shape) {
  std::swap(shape.rows, shape.cols);
  shape.layout = shape.layout == io::Layout::right ? io::Layout::left : io::Layout::right;
  return shape;
}

struct StageCut {
  std::string name;
  std::int64_t teams = 0;
  int team_size = 0;
  std::int64_t panels = 0;           ///< 0: the stage only adds along lines
  std::int64_t lines_per_panel = 0;  ///< 0: as `panels`
};

struct StreamFacts {
  std::int64_t blocks = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t memory_limit = 0;
  std::int64_t first_block = 0;  ///< above 0: resumed from a checkpoint
  std::string why = {};
};

struct Measurement {
  std::string method;  ///< "fused", "two-stage", "one-stage", "in-place", "streamed"
  std::optional<Kernels> kernels = std::nullopt;
  TimeSummary seconds = {};
  std::vector<StageTime> stages = {};  ///< including copies
  std::uint64_t bytes = 0;             ///< least bytes moved by one run
  std::vector<StageCut> cuts = {};
  io::HostVector result = {};
  std::optional<io::HostVector> intermediate = std::nullopt;  ///< B, or a second result
  io::HostMatrix matrix = {};
  double flops = 0;  ///< 0: not counted
  MaybePreference cache_preference = {};
  std::optional<StreamFacts> stream = std::nullopt;
  std::vector<RankFacts> ranks = {};
  std::string exchange = {};
};

[[nodiscard]] inline std::string kernels_of(Measurement const& run) {
  if (!run.kernels) return "";
  return *run.kernels == Kernels::portable ? "portable" : "accelerated";
}

struct MatrixRequest {
  io::HostMatrix const& A;
  io::HostMatrix const* B = nullptr;
  bool in_place = false;
  BackendChoice backend = BackendChoice::automatic;
  Kernels kernels = Kernels::automatic;
  int repeat = 1;
  std::string input;
  MaybePreference cache_preference = {};
  bench::Launch launch = {};  ///< instead of the backend's
};

/// In A's order.
[[nodiscard]] Measurement run_transpose(MatrixRequest const& request);
/// In A's order.
[[nodiscard]] Measurement run_gemm(MatrixRequest const& request);
/// Bytes for rows x depth times depth x cols.
[[nodiscard]] std::uint64_t workspace_of_gemm(std::int64_t rows, std::int64_t cols,
                                              std::int64_t depth, io::ScalarType type);

struct Traffic {
  std::int64_t matrix = 1;        ///< reads of A
  std::int64_t cols_vectors = 1;  ///< of vectors as long as a row
  std::int64_t rows_vectors = 1;  ///< of vectors as long as a column

  /// Up to `at_a_time` vectors share a read of A.
  [[nodiscard]] constexpr Traffic of_block(std::int64_t columns, std::int64_t at_a_time) const {
    return {.matrix = matrix * ((columns + at_a_time - 1) / at_a_time),
            .cols_vectors = cols_vectors * columns,
            .rows_vectors = rows_vectors * columns};
  }
  /// @param element bytes of an element of A
  /// @param size bytes of an entry of a vector
  [[nodiscard]] constexpr std::uint64_t bytes(std::int64_t m, std::int64_t n, std::uint64_t element,
                                              std::uint64_t size) const {
    return static_cast<std::uint64_t>(matrix * m * n) * element +
           static_cast<std::uint64_t>(cols_vectors * n + rows_vectors * m) * size;
  }
  [[nodiscard]] constexpr std::uint64_t bytes(std::int64_t m, std::int64_t n,
                                              std::uint64_t size) const {
    return bytes(m, n, size, size);
  }
};

inline constexpr Traffic one_product{};

struct OperationRow : bench::Operation {
  OperationId id;
  Measurement (*run)(RunRequest const& request);
  Forecast (*forecast)(Shape const& shape, BackendChoice backend);

  /// atax of Aᵀ
  [[nodiscard]] bool is_of_transpose() const { return is_chained && takes_rows_vector; }
  [[nodiscard]] std::int64_t vector_length(std::int64_t m, std::int64_t n) const {
    return takes_rows_vector ? m : n;
  }
  [[nodiscard]] std::int64_t result_length(std::int64_t m, std::int64_t n) const {
    return gives_rows_vector ? m : n;
  }
};

/// Defined in app/operations/products.cpp.
[[nodiscard]] std::span<OperationRow const> table_of_operations();

[[nodiscard]] inline OperationRow const& row_of(OperationId id) {
  return *std::ranges::find(table_of_operations(), id, &OperationRow::id);
}

}  // namespace tessera::app
