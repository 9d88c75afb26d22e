// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>

/// The table that the benchmark runs: who computes what on the shared matrix of a shape.
namespace benchmarks {

using Exec = Kokkos::DefaultExecutionSpace;

struct Shape {
  std::int64_t rows;
  std::int64_t cols;
  friend bool operator==(Shape const&, Shape const&) = default;
};

/// The data of one shape, shared by all contenders that run in turn.
template <class T>
struct Problem {
  Kokkos::View<T**, Kokkos::LayoutRight, Exec> A;  // (rows, cols)
  Kokkos::View<T*, Exec> v;                        // (cols)
  Kokkos::View<T*, Exec> B;                        // (rows)
  Kokkos::View<T*, Exec> C;                        // (cols)
  /// The same memory seen as a column-major matrix of the same shape.
  [[nodiscard]] auto column_major() const {
    return Kokkos::View<T**, Kokkos::LayoutLeft, Exec>(A.data(), A.extent(0), A.extent(1));
  }
};

/// One row of the table: `prepare` makes the timed work for a problem.
template <class T>
struct Contender {
  std::string operation;  ///< "atax", "multiply", "multiply_transposed" or "read"
  std::string name;       ///< who and how
  int matrix_reads;       ///< how often it has to read A
  std::function<std::function<void()>(Problem<T> const&)> prepare;
};

/// All contenders of this build.
template <class T>
std::vector<Contender<T>>& contenders();

/// Name and version of the host's BLAS, or "none".
std::string& host_blas();

/// Adds rows when a translation unit is part of the build.
struct Registration {
  template <class Function>
  explicit Registration(Function const& add) {
    add(contenders<float>());
    add(contenders<double>());
  }
};

}  // namespace benchmarks
