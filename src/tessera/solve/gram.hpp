// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/backends/compiled.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/gemm.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/options.hpp>
#include <tessera/solve/blocks.hpp>
#include <tessera/stream/detail/plan.hpp>
#include <tessera/stream/detail/tree.hpp>
#include <tessera/summation.hpp>
#include <tessera/workspace.hpp>

/// Gram matrices of a matrix with few columns, in double, with one read.
namespace tessera::solve::detail {

template <class Exec, class T>
class GramSums;

/// Computes G = MᵀM, row-major, with M = [(A - 1·shiftᵀ)·diag(units)·P, E, 1]. Shifts are
/// subtracted in double, so that a matrix far from the origin loses no digits.
template <class Exec, class T>
struct GramProducts {
  using value_type = T;
  using Sums = GramSums<Exec, T>;
  template <class Element>
  using Vector = Kokkos::View<Element*, Kokkos::LayoutRight, typename Exec::memory_space>;

  Index cols = 0;                ///< n, columns of A
  Vector<double const> shift{};  ///< n entries; empty: zeros
  Vector<double const> units{};  ///< n entries; empty: ones
  ConstRows<Exec, double> PT{};  ///< q x n; empty: the identity, q = n
  ConstRows<Exec, T> ET{};       ///< e x rows of the whole matrix; may be empty
  bool has_ones = false;
  /// M has A's columns alone; G becomes their sums, then their sums of squares.
  bool has_moments_only = false;
  Vector<double> G{};   ///< width()²
  Index first_row = 0;  ///< row of E and MT that belongs to the first row of A
  Rows<Exec, T> MT{};   ///< q x rows: the first q columns of M, rounded; may be empty

  [[nodiscard]] Index inner() const {
    return PT.extent(0) > 0 ? static_cast<Index>(PT.extent(0)) : cols;
  }
  [[nodiscard]] Index width() const {
    return inner() + static_cast<Index>(ET.extent(0)) + (has_ones ? 1 : 0);
  }
  [[nodiscard]] Index size() const { return has_moments_only ? 2 * cols : width() * width(); }
  [[nodiscard]] stream::detail::Vectors vectors() const {
    return {.operation = "gram", .count = has_moments_only ? 0 : width()};
  }
};

/// Writes rows of (A - 1·shiftᵀ)·diag(units); a work item writes `columns` elements of a row.
template <class T>
struct PrepareRows {
  T const* from;
  Index down;
  Index across;
  Index cols;
  Index columns;
  double const* shift;
  double const* units;
  double* to;
  Index stride;
  KOKKOS_FUNCTION void operator()(Index item) const {
    Index const pieces = summation::ceil_div(cols, columns);
    Index const i = item / pieces;
    Index const begin = (item - i * pieces) * columns;
    Index const end = Kokkos::min(cols, begin + columns);
    for (Index j = begin; j < end; ++j) {
      double x = static_cast<double>(from[i * down + j * across]);
      if (shift != nullptr) x = x - shift[j];
      to[i * stride + j] = units != nullptr ? units[j] * x : x;
    }
  }
};
template <class T>
struct PutColumns {
  T const* from;
  Index length;  ///< of a column of E
  Index count;
  bool has_ones;
  double* to;
  Index stride;
  KOKKOS_FUNCTION void operator()(Index i) const {
    for (Index j = 0; j < count; ++j) {
      to[i * stride + j] = static_cast<double>(from[j * length + i]);
    }
    if (has_ones) to[i * stride + count] = 1;
  }
};
/// Writes rows of M to MT.
template <class T>
struct TakeColumns {
  double const* from;
  Index stride;
  Index count;
  T* to;
  Index length;
  KOKKOS_FUNCTION void operator()(Index i) const {
    for (Index j = 0; j < count; ++j) to[j * length + i] = static_cast<T>(from[i * stride + j]);
  }
};

struct MirrorRow {
  double* elements;
  Index width;
  KOKKOS_FUNCTION void operator()(Index i) const {
    for (Index j = 0; j < i; ++j) elements[i * width + j] = elements[j * width + i];
  }
};

/// Sums columns and their squares over a segment of rows. A work item has `columns` columns.
template <class T>
struct SegmentMoments {
  T const* from;
  Index down;
  Index across;
  Index rows;
  Index cols;
  Index columns;
  double const* shift;
  double const* units;
  double* to;  ///< 2·cols for each segment
  KOKKOS_FUNCTION void operator()(Index item) const {
    Index const pieces = summation::ceil_div(cols, columns);
    Index const segment = item / pieces;
    Index const begin = (item - segment * pieces) * columns;
    Index const end = Kokkos::min(cols, begin + columns);
    double* const sums = to + segment * 2 * cols;
    for (Index j = begin; j < end; ++j) sums[j] = sums[cols + j] = 0;
    Index const first = segment * summation::segment<T>;
    Index const last = Kokkos::min(rows, first + summation::segment<T>);
    for (Index i = first; i < last; ++i) {
      for (Index j = begin; j < end; ++j) {
        double x = static_cast<double>(from[i * down + j * across]);
        if (shift != nullptr) x = x - shift[j];
        if (units != nullptr) x = units[j] * x;
        sums[j] = sums[j] + x;
        sums[cols + j] = Kokkos::fma(x, x, sums[cols + j]);
      }
    }
  }
};
/// Adds the sums of segments by the adjacent-pair tree.
struct JoinMoments {
  double const* from;
  Index segments;
  Index size;
  double* to;
  KOKKOS_FUNCTION void operator()(Index j) const {
    double waiting[64] = {};
    double sum = 0;
    for (Index i = 0; i < segments; ++i) {
      sum = from[i * size + j];
      int level = 0;
      for (Index rest = i; (rest & 1) != 0; rest >>= 1, ++level) sum = waiting[level] + sum;
      waiting[level] = sum;
    }
    int level = 0;
    while (((segments >> level) & 1) == 0) ++level;
    sum = waiting[level++];
    for (; (segments >> level) != 0; ++level) {
      if (((segments >> level) & 1) != 0) sum = waiting[level] + sum;
    }
    to[j] = sum;
  }
};

/// Computes G from blocks of rows of A, in the order of RowSums.
template <class Exec, class T>
class GramSums {
 public:
  using Products = GramProducts<Exec, T>;

  /// For up to `width` columns of M, and of A, with or without P. 0: only moments.
  static std::size_t bytes(Index width, Index cols, Index rows, Index blocks) {
    Index const chains = summation::ceil_div(rows, summation::segment<T>);
    Index const sums = width == 0 ? 2 * cols : width * width;
    Index const kept = width == 0 || chains > 1 ? chains * sums : 0;
    Index const prepared = width == 0 ? 0 : rows * (width + std::max(cols, width));
    return stream::detail::VectorTree<Exec, double>::bytes(sums, blocks) +
           static_cast<std::size_t>(prepared + kept) * sizeof(double);
  }

  GramSums(Exec const& exec, Products products, Kernels kernels, Workspace<Exec>& workspace,
           Index rows, Index blocks)
      : exec_(exec),
        products_(std::move(products)),
        options_{.workspace = &workspace, .kernels = kernels},
        sums_(exec, products_.size(), blocks),
        m_(memory(exec, products_.has_moments_only
                            ? 2 * summation::ceil_div(rows, summation::segment<T>) * products_.cols
                            : rows * products_.width())),
        d_(memory(exec, products_.PT.extent(0) > 0 ? rows * products_.cols : 0)) {}

  /// Adds rows [first, first + rows) of A, with strides `down` and `across`.
  void take(Index block, Index first, Index rows, T const* A, Index down, Index across) {
    static std::string const label("tessera::solve::gram");
    if (products_.has_moments_only) return add_moments(block, rows, A, down, across);
    Index const n = products_.cols;
    Index const q = products_.inner();
    Index const width = products_.width();
    bool const has_factor = products_.PT.extent(0) > 0;
    constexpr bool by_elements = backends::Backend<Exec>::is_gpu;
    Index const columns = by_elements ? 1 : std::max(n, Index{1});
    for_each(
        label, rows * summation::ceil_div(n, columns),
        PrepareRows<T>{A, down, across, n, columns, data(products_.shift), data(products_.units),
                       has_factor ? d_.data() : m_.data(), has_factor ? n : width});
    if (has_factor) {
      multiply_in_chains<Exec, double>(
          exec_, Matrix<double const>(d_.data(), strided(rows, n, n, 1)),
          Matrix<double const>(products_.PT.data(), strided(n, 1, q, n)),
          Matrix<double>(m_.data(), strided(rows, width, q, 1)), options_, chain_of_b);
    }
    Index const at = products_.first_row + first;
    if (width > q) {
      auto const count = static_cast<Index>(products_.ET.extent(0));
      for_each(label, rows,
               PutColumns<T>{count > 0 ? products_.ET.data() + at : nullptr,
                             static_cast<Index>(products_.ET.extent(1)), count, products_.has_ones,
                             m_.data() + q, width});
    }
    if (products_.MT.extent(0) > 0) {
      for_each(label, rows,
               TakeColumns<T>{m_.data(), width, q, products_.MT.data() + at,
                              static_cast<Index>(products_.MT.extent(1))});
    }
    multiply_by_itself(rows, width);
    sums_.push(block);
  }
  void finish() { sums_.finish({products_.G.data(), 1}); }

 private:
  /// G is symmetric to the bit, so a host computes columns only down to the diagonal and mirrors
  /// them.
  void multiply_by_itself(Index rows, Index width) {
    static std::string const label("tessera::solve::gram");
    Index const columns = backends::Backend<Exec>::is_gpu ? width : Index{64};
    double* const to = sums_.next().data();
    for (Index begin = 0; begin < width; begin += columns) {
      Index const end = std::min(width, begin + columns);
      multiply_in_chains<Exec, double>(
          exec_, Matrix<double const>(m_.data(), strided(end, 1, rows, width)),
          Matrix<double const>(m_.data() + begin, strided(rows, width, end - begin, 1)),
          Matrix<double>(to + begin, strided(end, width, end - begin, 1)), options_,
          summation::segment<T>);
    }
    if (columns < width) for_each(label, width, MirrorRow{to, width});
  }
  void add_moments(Index block, Index rows, T const* A, Index down, Index across) {
    static std::string const label("tessera::solve::moments");
    Index const n = products_.cols;
    constexpr bool by_elements = backends::Backend<Exec>::is_gpu;
    Index const columns = by_elements ? 1 : 64;
    Index const segments = summation::ceil_div(rows, summation::segment<T>);
    for_each(label, segments * summation::ceil_div(n, columns),
             SegmentMoments<T>{A, down, across, rows, n, columns, data(products_.shift),
                               data(products_.units), m_.data()});
    for_each(label, 2 * n, JoinMoments{m_.data(), segments, 2 * n, sums_.next().data()});
    sums_.push(block);
  }

  template <class Element>
  using Matrix = StridedMatrix<Exec, Element>;
  using Memory = Kokkos::View<double*, typename Exec::memory_space>;

  static Memory memory(Exec const& exec, Index size) {
    return Memory(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("tessera::solve::gram")),
        static_cast<std::size_t>(size));
  }
  static double const* data(typename Products::template Vector<double const> const& x) {
    return x.extent(0) == 0 ? nullptr : x.data();
  }
  template <class Body>
  void for_each(std::string const& label, Index count, Body const& body) const {
    tessera::detail::for_each_element(exec_, label, count, body);
  }

  Exec exec_;
  Products products_;
  GemmOptions<Exec> options_;
  stream::detail::VectorTree<Exec, double> sums_;
  Memory m_;  ///< M of a block, row-major
  Memory d_;  ///< its (A - 1·shiftᵀ)·diag(units), if there is a P
};

}  // namespace tessera::solve::detail

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_SOLVE_GRAM(TEMPLATE, EXEC, T) \
  TESSERA_SOLVE_PRODUCTS(TEMPLATE, EXEC, T, GramProducts)
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_SOLVE_GRAM)
