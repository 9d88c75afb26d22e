// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <Kokkos_Core.hpp>

#include <tessera/summation.hpp>

/// C is row-major; its factors are lines of either direction.
namespace tessera::detail {

using summation::Index;

/// One line per row or column of C.
template <class T>
struct Factor {
  T const* data;
  Index count;
  Index across;  ///< between lines, in elements
  Index deep;    ///< along each line; this or `across` is 1
};

template <class T>
struct OutputMatrix {
  T* data;
  Index cols;
  Index leading;

  KOKKOS_INLINE_FUNCTION void set(Index i, T value) const {
    data[i / cols * leading + i % cols] = value;
  }
  /// Sets [begin, end) to `sums` + 0.
  KOKKOS_INLINE_FUNCTION void set_sums(T const* sums, Index begin, Index end) const {
    for (Index i = begin; i < end; ++i) set(i, sums[i] + T(0));
  }
};

/// C(i, j) = sum over k of a(i, k) b(j, k), in chains.
template <class T>
struct Product {
  Factor<T> a;  ///< one line per row of C
  Factor<T> b;  ///< one line per column of C
  Index depth;
  summation::Chains chains;
  T* data;  ///< C, or the parts (count, rows, cols) of chains
  Index leading;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index rows() const { return a.count; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index cols() const { return b.count; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION T* row(Index chain, Index row) const {
    return data + (chain * rows() + row) * leading;
  }
  [[nodiscard]] Index parts() const {
    return chains.count > 1 ? chains.count * rows() * cols() : 0;
  }
  [[nodiscard]] Product in(T* workspace) const {
    Product result = *this;
    if (chains.count > 1) {
      result.data = workspace;
      result.leading = cols();
    }
    return result;
  }
};

/// `Contiguous`: elements of lines, else adjacent lines. A direction of one element has no stride.
template <bool Rows, bool Contiguous, class View>
Factor<typename View::non_const_value_type> factor_of(View const& x) {
  auto const stride = [&](std::size_t i) { return static_cast<Index>(x.stride(i)); };
  auto const count = static_cast<Index>(x.extent(Rows ? 0 : 1));
  return {x.data(), count, Contiguous ? stride(Rows ? 0 : 1) : 1,
          Contiguous ? 1 : stride(Rows ? 1 : 0)};
}

/// A column-major C is the product of the transposes.
template <bool RowsOfA, bool RowsOfB, bool RowsOfC, class A, class B, class C>
auto product_of(A const& a, B const& b, C const& c) {
  using T = typename C::value_type;
  auto const depth = static_cast<Index>(a.extent(1));
  Factor<T> const rows = factor_of<true, RowsOfA>(a);
  Factor<T> const cols = factor_of<false, !RowsOfB>(b);
  auto const chains = summation::chains(rows.count, cols.count, depth);
  if constexpr (RowsOfC) {
    return Product<T>{rows, cols, depth, chains, c.data(), static_cast<Index>(c.stride(0))};
  } else {
    return Product<T>{cols, rows, depth, chains, c.data(), static_cast<Index>(c.stride(1))};
  }
}

}  // namespace tessera::detail
