// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bench/machine.hpp>
#include <bench/shapes.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/workspace.hpp>

namespace tessera::bench {

template <class Exec, class T, class Layout>
using MatrixView = Kokkos::View<T**, Layout, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

enum class Data {
  real,  ///< [-1, 1): for timing, and for comparison within a bound
  magnitudes,
  whole,  ///< -1, 0, 1, so sparse that every sum is exact in any order
};

template <class T>
struct ValueOf {
  std::uint32_t seed;
  Data data;
  std::uint32_t density;  ///< number of nonzero values among 2^32 whole numbers

  KOKKOS_INLINE_FUNCTION T operator()(std::int64_t i) const {
    auto x = (static_cast<std::uint32_t>(i) + seed) * 2654435761U;
    x ^= (x >> 15) ^ static_cast<std::uint32_t>(i >> 32);
    x *= 2246822519U;
    if (data == Data::whole) {
      std::uint32_t const chance = (x ^ (x >> 13)) * 3266489917U;
      if ((chance ^ (chance >> 16)) > density) return T(0);
      return (x >> 31) == 0 ? T(1) : T(-1);
    }
    T const value = real(x);
    return data == Data::magnitudes && value < T(0) ? -value : value;
  }

 private:
  /// Has enough bits that products are rounded.
  KOKKOS_INLINE_FUNCTION static T real(std::uint32_t x) {
    if constexpr (sizeof(T) == 4) {
      return static_cast<T>(static_cast<int>(x >> 16) - 32768) / T(32768);
    } else {
      constexpr std::int64_t half = std::int64_t{1} << 52;
      std::uint64_t const bits = (std::uint64_t{x} << 21) ^ (std::uint64_t{x} * 2246822519U);
      auto const number = static_cast<std::int64_t>(bits & ((std::uint64_t{1} << 53) - 1));
      return static_cast<T>(number - half) / static_cast<T>(half);
    }
  }
};

template <class T>
struct Fill {
  T* values;
  ValueOf<T> value_of;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const { values[i] = value_of(i); }
};

template <class Exec, class T>
void fill(Exec const& exec, T* values, std::size_t size, ValueOf<T> const& value_of) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for("bench::fill", Policy(exec, 0, static_cast<std::int64_t>(size)),
                       Fill<T>{values, value_of});
}

/// Magnitudes of C = Aᵀ·(A·v) add up to about d·m·(1 + d·n) for a fraction d of nonzero numbers. d
/// keeps them four times below 2^24, so exact in float.
inline double density_of_whole_numbers(Shape const& shape) {
  auto const m = static_cast<double>(shape.rows);
  auto const n = static_cast<double>(shape.cols);
  constexpr double most = 4194304;  // 2^22
  return std::min({0.5, most / 2 / std::max(m, n), 1448.0 / std::max(1.0, std::sqrt(m * n))});
}

template <class Exec, class T>
class Problem {
  using Vector = Kokkos::View<T*, Exec>;
  template <class Layout>
  using Matrices = std::vector<MatrixView<Exec, T, Layout>>;
  template <class Layout>
  static constexpr bool is_row_major = std::is_same_v<Layout, Kokkos::LayoutRight>;

 public:
  Problem(Shape const& its_shape, int number_of_copies)
      : shape(its_shape),
        copies(number_of_copies),
        v("v", size_of(shape.cols)),
        b("b", size_of(shape.rows)),
        B("B", size_of(shape.rows)),
        C("C", size_of(shape.cols)),
        memory(without_values("matrices"), copies_of(stored_elements(shape))),
        factors_(without_values("factors"), copies_of(factor_elements(shape))) {
    ValueOf<T> const values{1, Data::real, 0};
    fill(exec, memory.data(), memory.extent(0), values);
    fill(exec, factors_.data(), factors_.extent(0), ValueOf<T>{4, Data::real, 0});
    fill_first(Data::real);
    for (int k = 0; k < copies; ++k) {
      T* const first = memory.data() + static_cast<std::size_t>(k) * stored_elements(shape);
      row_major_.push_back(matrix_at<Kokkos::LayoutRight>(first, shape.rows, shape.cols));
      column_major_.push_back(matrix_at<Kokkos::LayoutLeft>(first, shape.rows, shape.cols));
    }
    if (shape.is_product()) need_target();
  }

  /// Elements between copies: room for either layout, a multiple of 256 bytes.
  static std::size_t stored_elements(Shape const& shape) {
    return whole_pieces(std::max(shape.rows * (shape.cols + shape.padding),
                                 shape.cols * (shape.rows + shape.padding)));
  }
  static std::size_t factor_elements(Shape const& shape) {
    return whole_pieces(shape.cols * shape.factor_cols);
  }
  static std::size_t target_elements(Shape const& shape) {
    return shape.is_product() ? whole_pieces(std::max(shape.rows, shape.cols) * shape.factor_cols)
                              : stored_elements(shape);
  }

  [[nodiscard]] double matrix_bytes() const {
    return static_cast<double>(shape.rows) * static_cast<double>(shape.cols) * sizeof(T);
  }

  template <class Layout>
  [[nodiscard]] MatrixView<Exec, T, Layout> const& matrix(int call) const {
    auto const k = static_cast<std::size_t>(call % copies);
    if constexpr (is_row_major<Layout>) {
      return row_major_[k];
    } else {
      return column_major_[k];
    }
  }
  [[nodiscard]] T* elements(int call) const { return matrix<Kokkos::LayoutRight>(call).data(); }
  /// cols x factor_cols
  template <class Layout>
  [[nodiscard]] MatrixView<Exec, T, Layout> factor(int call) const {
    return MatrixView<Exec, T, Layout>(factors_.data() + place_of(call, factor_elements(shape)),
                                       size_of(shape.cols), size_of(shape.factor_cols));
  }
  /// rows x factor_cols; after need_target()
  template <class Layout>
  [[nodiscard]] MatrixView<Exec, T, Layout> product(int call) const {
    return MatrixView<Exec, T, Layout>(target_of(call), size_of(shape.rows),
                                       size_of(shape.factor_cols));
  }

  /// cols x factor_cols, ATAX of the second factor; after need_target()
  template <class Layout>
  [[nodiscard]] MatrixView<Exec, T, Layout> block_of_atax(int call) const {
    return MatrixView<Exec, T, Layout>(target_of(call), size_of(shape.cols),
                                       size_of(shape.factor_cols));
  }
  /// rows x factor_cols
  [[nodiscard]] Vector between_stages() const {
    return Vector(without_values("between"), size_of(shape.rows * shape.factor_cols));
  }

  /// A target per copy. @throws std::runtime_error if memory is short
  void need_target() const {
    if (target_.extent(0) > 0) return;
    std::size_t const elements = copies_of(target_elements(shape));
    if (elements * sizeof(T) > free_bytes<Exec>()) {
      throw std::runtime_error("the output needs " + std::to_string((elements * sizeof(T)) >> 20) +
                               " MiB of memory more");
    }
    target_ = Vector(without_values("target"), elements);
  }
  [[nodiscard]] Workspace<Exec>* workspace() const { return &workspace_; }
  /// @throws std::runtime_error if the memory is short
  void need_workspace_of_matrix() const {
    auto const bytes = static_cast<std::size_t>(matrix_bytes());
    if (workspace_.bytes() >= bytes || bytes <= free_bytes<Exec>()) return;
    throw std::runtime_error("its workspace needs " + std::to_string(bytes >> 20) +
                             " MiB of memory more");
  }

  [[nodiscard]] T* target_of(int call) const {
    return target_.data() + place_of(call, target_elements(shape));
  }
  [[nodiscard]] std::int64_t target_leading() const { return shape.rows + shape.padding; }

  /// Waits.
  void fill_first(Data data) const {
    auto const part = density_of_whole_numbers(shape);
    auto const density = static_cast<std::uint32_t>(part * 4294967295.0);
    constexpr std::uint32_t all = 0xffffffffU;
    fill(exec, memory.data(), stored_elements(shape), ValueOf<T>{1, data, density});
    fill(exec, v.data(), v.extent(0), ValueOf<T>{2, data, all});
    fill(exec, b.data(), b.extent(0), ValueOf<T>{3, data, all});
    fill(exec, factors_.data(), factor_elements(shape), ValueOf<T>{4, data, density});
    exec.fence("bench: data are there");
  }

  /// `factor` may be null.
  void take(T const* matrix, T const* factor) const {
    for (int k = 0; k < copies; ++k) {
      copy_from_host(matrix, elements(k), size_of(shape.rows * shape.cols));
      if (factor == nullptr) continue;
      copy_from_host(factor, factors_.data() + place_of(k, factor_elements(shape)),
                     size_of(shape.cols * shape.factor_cols));
    }
  }
  void copy_from_host(T const* from, T* to, std::size_t size) const {
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    Kokkos::deep_copy(exec, Kokkos::View<T*, Exec, Unmanaged>(to, size),
                      Kokkos::View<T const*, Kokkos::HostSpace, Unmanaged>(from, size));
    exec.fence("bench: data are there");
  }
  [[nodiscard]] std::vector<T> to_host(T const* from, std::size_t size) const {
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    std::vector<T> copy(size);
    Kokkos::deep_copy(exec, Kokkos::View<T*, Kokkos::HostSpace, Unmanaged>(copy.data(), size),
                      Kokkos::View<T const*, Exec, Unmanaged>(from, size));
    exec.fence("bench: data are there");
    return copy;
  }

  Exec exec;
  Shape shape;
  int copies;
  Vector v;  ///< (cols), read
  Vector b;  ///< (rows), read
  Vector B;  ///< (rows), written
  Vector C;  ///< (cols), written
  Vector memory;

 private:
  static std::size_t size_of(std::int64_t extent) { return static_cast<std::size_t>(extent); }
  static std::size_t whole_pieces(std::int64_t elements) {
    constexpr std::size_t piece = 256 / sizeof(T);
    return (size_of(elements) + piece - 1) / piece * piece;
  }
  static auto without_values(char const* label) {
    return Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(label));
  }
  [[nodiscard]] std::size_t copies_of(std::size_t elements) const {
    return static_cast<std::size_t>(copies) * elements;
  }
  [[nodiscard]] std::size_t place_of(int call, std::size_t elements) const {
    return static_cast<std::size_t>(call % copies) * elements;
  }
  template <class Layout>
  [[nodiscard]] MatrixView<Exec, T, Layout> matrix_at(T* first, std::int64_t rows,
                                                      std::int64_t cols) const {
    constexpr bool by_rows = is_row_major<Layout>;
    MatrixView<Exec, T, Layout> const whole(first, size_of(rows + (by_rows ? 0 : shape.padding)),
                                            size_of(cols + (by_rows ? shape.padding : 0)));
    return Kokkos::subview(whole, std::make_pair(std::size_t{0}, size_of(rows)),
                           std::make_pair(std::size_t{0}, size_of(cols)));
  }

  Vector factors_;
  mutable Vector target_;
  mutable Workspace<Exec> workspace_;
  Matrices<Kokkos::LayoutRight> row_major_;
  Matrices<Kokkos::LayoutLeft> column_major_;
};

}  // namespace tessera::bench
