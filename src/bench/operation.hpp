// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/shapes.hpp>
#include <span>
#include <string_view>

namespace tessera::bench {

/// Properties of an operation, for everything that runs, measures or reports it. All rates are
/// computed from these.
struct Operation {
  std::string_view name;           ///< as in the library and in the table of contenders
  char const* command;             ///< the word on the command line, and the name in reports
  std::string_view formula;        ///< for people
  std::string_view formula_ascii;  ///< for help texts
  std::string_view vector_name;    ///< of the input vector; empty: no input vector
  bool takes_rows_vector = false;  ///< the input vector has an entry per row of A
  bool gives_rows_vector = false;  ///< so does the result
  bool gives_two_vectors = false;  ///< it has a second input vector and a second result
  bool has_methods = false;        ///< it has methods, and an intermediate vector
  bool is_tuned = true;            ///< `tune` searches launches for it
  bool takes_files = true;         ///< it can be measured on files
  bool is_exact = true;            ///< whole numbers give whole results in any order
  ShapeKind shapes;
  bool is_counted_in_flops;  ///< rates are GFLOP/s; else GB/s
  std::string_view stream;   ///< its time is compared with "read", "copy", or nothing
  /// Bytes to be moved, each array once.
  double (*bytes)(Shape const& shape, double element_bytes);
  /// Floating-point operations.
  double (*flops)(Shape const& shape);
};

/// All operations.
std::span<Operation const> operations();

/// The operation with a name. Throws std::invalid_argument for unknown names.
Operation const& operation_named(std::string_view name);

}  // namespace tessera::bench
