// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::bench {

struct Shape {
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t padding = 0;      ///< elements after each line
  std::int64_t factor_cols = 0;  ///< 0: no second factor

  [[nodiscard]] bool is_product() const { return factor_cols > 0; }
  friend bool operator==(Shape const&, Shape const&) = default;
};

/// "4096x4096", "4096x4096+3"; (M x K)·(K x N) is "MxNxK".
std::string name_of(Shape const& shape);

enum class ShapeKind {
  matrix,   ///< ROWSxCOLS and ROWSxCOLS+PADDING
  product,  ///< MxNxK, or N for a cube
};

/// Parses "4096x4096,1000x1000+3", "quick" or "grid". @throws std::invalid_argument
std::vector<Shape> parse_shapes(std::string_view list, ShapeKind kind = ShapeKind::matrix);

std::vector<std::string> split_at_commas(std::string_view list);

}  // namespace tessera::bench
