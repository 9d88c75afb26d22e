// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/detail/lines.hpp>
#include <tessera/summation.hpp>

/// A matrix product as kernels see it: C is row-major, its factors are lines of either direction.
namespace tessera::detail {

/// A factor: one line for each row of C, or for each column. A line is a run of products' factors.
template <class T>
struct Factor {
  T const* data;
  Index count;   ///< lines
  Index across;  ///< from a line to the next, in elements
  Index deep;    ///< along a line, in elements; one of the two strides is 1
};

/// The elements of C, counted row by row.
template <class T>
struct OutputMatrix {
  T* data;
  Index cols;
  Index leading;

  KOKKOS_INLINE_FUNCTION void set(Index i, T value) const {
    data[i / cols * leading + i % cols] = value;
  }
  /// Elements [begin, end) = those of `sums`, + 0.
  KOKKOS_INLINE_FUNCTION void set_sums(T const* sums, Index begin, Index end) const {
    for (Index i = begin; i < end; ++i) set(i, sums[i] + T(0));
  }
};

/// C(i, j) = sum over k of a(i, k) b(j, k), in chains.
template <class T>
struct Product {
  Factor<T> a;  ///< a line for each row of C
  Factor<T> b;  ///< a line for each column of C
  Index depth;
  summation::Chains chains;
  T* data;        ///< of C, or of the chains' parts (count, rows, cols)
  Index leading;  ///< from a row of C, or of a part, to the next

  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index rows() const { return a.count; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index cols() const { return b.count; }
  /// Element (row, 0) of what a chain makes.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION T* row(Index chain, Index row) const {
    return data + (chain * rows() + row) * leading;
  }
  /// Scalars of workspace for the parts of several chains.
  [[nodiscard]] Index parts() const {
    return chains.count > 1 ? chains.count * rows() * cols() : 0;
  }
  /// The same product with its parts in a workspace, if it has any.
  [[nodiscard]] Product in(T* workspace) const {
    Product result = *this;
    if (chains.count > 1) {
      result.data = workspace;
      result.leading = cols();
    }
    return result;
  }
};

/// The product of A and B into a row-major C. A column-major C is the product of the transposes.
template <class A, class B, class C>
auto product_of(A const& a, B const& b, C const& c) {
  using T = typename C::value_type;
  auto const depth = static_cast<Index>(a.extent(1));
  Factor<T> const rows{a.data(), static_cast<Index>(a.extent(0)), static_cast<Index>(a.stride(0)),
                       static_cast<Index>(a.stride(1))};
  Factor<T> const cols{b.data(), static_cast<Index>(b.extent(1)), static_cast<Index>(b.stride(1)),
                       static_cast<Index>(b.stride(0))};
  auto const chains = summation::chains(rows.count, cols.count, depth);
  if constexpr (is_row_major<C>) {
    return Product<T>{rows, cols, depth, chains, c.data(), static_cast<Index>(c.stride(0))};
  } else {
    return Product<T>{cols, rows, depth, chains, c.data(), static_cast<Index>(c.stride(1))};
  }
}

}  // namespace tessera::detail
