// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

namespace benchmarks {

using Exec = Kokkos::DefaultExecutionSpace;

/// A matrix without elements.
struct Shape {
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t padding = 0;  ///< unused elements after each line
};

/// How a shape is written: "4096x4096", with padding "4096x4096+3".
inline std::string name_of(Shape const& shape) {
  return std::to_string(shape.rows) + "x" + std::to_string(shape.cols) +
         (shape.padding > 0 ? "+" + std::to_string(shape.padding) : "");
}

/// A matrix in memory that a Problem owns.
template <class T, class Layout>
using MatrixView = Kokkos::View<T**, Layout, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Fills a vector with numbers of [-1, 1) that its index and `seed` alone decide.
template <class T>
void fill(Exec const& exec, Kokkos::View<T*, Exec> const& values, std::uint32_t seed) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(
      "benchmark::fill", Policy(exec, 0, static_cast<std::int64_t>(values.extent(0))),
      KOKKOS_LAMBDA(std::int64_t const i) {
        auto x = (static_cast<std::uint32_t>(i) + seed) * 2654435761U;
        x ^= (x >> 15) ^ static_cast<std::uint32_t>(i >> 32);
        x *= 2246822519U;
        values(i) = static_cast<T>(static_cast<int>(x >> 16) - 32768) / T(32768);
      });
}

/// The data of one shape, shared by all contenders that run in turn. The matrix is there several
/// times, so that calls one after the other find none of it in a cache.
template <class T>
struct Problem {
  /// Allocates and fills `number_of_copies` matrices. Throws what Kokkos throws when memory runs
  /// out.
  Problem(Shape const& its_shape, int number_of_copies)
      : shape(its_shape),
        copies(number_of_copies),
        v("v", static_cast<std::size_t>(shape.cols)),
        B("B", static_cast<std::size_t>(shape.rows)),
        C("C", static_cast<std::size_t>(shape.cols)),
        memory(Kokkos::view_alloc(Kokkos::WithoutInitializing, "matrices"),
               static_cast<std::size_t>(copies) * stored_elements(shape)) {
    fill(exec, memory, 1);
    fill(exec, v, 2);
    fill(exec, B, 3);
    exec.fence("benchmark: data is there");
    auto const rows = static_cast<std::size_t>(shape.rows);
    auto const cols = static_cast<std::size_t>(shape.cols);
    auto const padding = static_cast<std::size_t>(shape.padding);
    auto const all_rows = std::make_pair(std::size_t{0}, rows);
    auto const all_cols = std::make_pair(std::size_t{0}, cols);
    for (std::size_t k = 0; k < static_cast<std::size_t>(copies); ++k) {
      T* const first = memory.data() + k * stored_elements(shape);
      row_major.emplace_back(Kokkos::subview(
          MatrixView<T, Kokkos::LayoutRight>(first, rows, cols + padding), all_rows, all_cols));
      column_major.emplace_back(Kokkos::subview(
          MatrixView<T, Kokkos::LayoutLeft>(first, rows + padding, cols), all_rows, all_cols));
    }
  }

  /// Elements from one copy to the next: room for either layout, and whole pieces of 256 bytes.
  static std::size_t stored_elements(Shape const& shape) {
    std::int64_t const row_major = shape.rows * (shape.cols + shape.padding);
    std::int64_t const column_major = shape.cols * (shape.rows + shape.padding);
    constexpr std::size_t piece = 256 / sizeof(T);
    return (static_cast<std::size_t>(std::max(row_major, column_major)) + piece - 1) / piece *
           piece;
  }

  /// Bytes of the matrix, without padding.
  [[nodiscard]] double matrix_bytes() const {
    return static_cast<double>(shape.rows) * static_cast<double>(shape.cols) * sizeof(T);
  }

  /// The copy that a call reads.
  [[nodiscard]] MatrixView<T, Kokkos::LayoutRight> const& row_major_of(int call) const {
    return row_major[static_cast<std::size_t>(call % copies)];
  }
  /// The same memory as a column-major matrix of the same shape.
  [[nodiscard]] MatrixView<T, Kokkos::LayoutLeft> const& column_major_of(int call) const {
    return column_major[static_cast<std::size_t>(call % copies)];
  }

  Exec exec;
  Shape shape;
  int copies;
  Kokkos::View<T*, Exec> v;  // (cols)
  Kokkos::View<T*, Exec> B;  // (rows)
  Kokkos::View<T*, Exec> C;  // (cols)
  Kokkos::View<T*, Exec> memory;
  mutable Kokkos::View<T*, Exec> target;                        ///< see target.hpp
  std::vector<MatrixView<T, Kokkos::LayoutRight>> row_major;    // (rows, cols) each
  std::vector<MatrixView<T, Kokkos::LayoutLeft>> column_major;  // (rows, cols) each
};

}  // namespace benchmarks
