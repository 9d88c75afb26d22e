// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "problem.hpp"

/// The table that the benchmark runs: who computes what on the shared matrix of a shape.
namespace benchmarks {

/// Enqueues one call on the problem's execution space. The number of the call says which copy of
/// the matrix it reads.
using Work = std::function<void(int call)>;

/// One row of the table: `prepare` makes the timed work for a problem.
template <class T>
struct Contender {
  /// "atax", "multiply", "multiply_transposed", "transpose", "read", "copy" or "launch"
  std::string operation;
  std::string name;  ///< who and how
  int matrix_reads;  ///< how often it has to move the bytes of A, reading or writing
  std::function<Work(Problem<T> const&)> prepare;
};

/// All contenders of this build.
template <class T>
std::vector<Contender<T>>& contenders();

/// Names and versions of the libraries that take part beside Tessera.
std::vector<std::string>& peers();

/// Adds rows when a translation unit is part of the build.
struct Registration {
  template <class Function>
  explicit Registration(Function const& add) {
    add(contenders<float>());
    add(contenders<double>());
  }
};

}  // namespace benchmarks
