// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::bench {

/// The extents of a matrix, and of an optional second factor.
struct Shape {
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t padding = 0;      ///< unused elements after each line
  std::int64_t factor_cols = 0;  ///< columns of the second factor, cols x factor_cols; 0: none

  /// Whether this is a product of two matrices.
  [[nodiscard]] bool is_product() const { return factor_cols > 0; }
  friend bool operator==(Shape const&, Shape const&) = default;
};

/// The text of a shape: "4096x4096", with padding "4096x4096+3"; a product (M x K)·(K x N) is
/// "MxNxK".
std::string name_of(Shape const& shape);

/// The kind of shapes in a list.
enum class ShapeKind {
  matrix,   ///< ROWSxCOLS and ROWSxCOLS+PADDING
  product,  ///< MxNxK, or N for squares
};

/// The shapes of a list such as "4096x4096,1000x1000+3" or "512x256x128,1024". "quick" and "grid"
/// are predefined lists for comparing GPUs. Throws std::invalid_argument for other text.
std::vector<Shape> parse_shapes(std::string_view list, ShapeKind kind = ShapeKind::matrix);

/// The parts of a text between commas.
std::vector<std::string> split_at_commas(std::string_view list);

}  // namespace tessera::bench
