// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/shapes.hpp>
#include <span>
#include <string_view>

namespace tessera::bench {

struct Operation {
  std::string_view name;
  char const* command;
  std::string_view formula;
  std::string_view formula_ascii;  ///< for help texts
  std::string_view vector_name;    ///< empty: none
  bool takes_rows_vector = false;  ///< an entry per row of A
  bool gives_rows_vector = false;
  bool gives_two_vectors = false;  ///< has a second input and a second result
  bool is_chained = false;         ///< multiplies the result of its first product by A
  bool has_methods = false;
  bool is_tuned = true;
  bool takes_files = true;
  bool is_exact = true;  ///< whole numbers give exact results in any order
  ShapeKind shapes = ShapeKind::matrix;
  bool is_counted_in_flops = false;  ///< rate in GFLOP/s, otherwise GB/s
  std::string_view stream = "read";  ///< reference: "read", "copy" or none
  /// Bytes to move, each array once.
  double (*bytes)(Shape const& shape, double element_bytes);
  double (*flops)(Shape const& shape);
};

std::span<Operation const> operations();

Operation const& operation_named(std::string_view name);

}  // namespace tessera::bench
