// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>

#include <tessera/order/static_for.hpp>
#include <tessera/summation.hpp>

namespace tessera::detail {

using summation::Index;

/// Rows of LayoutRight, columns of LayoutLeft (docs/summation.md).
/// `Data` is a pointer, or loads elements that are stored otherwise (narrow.hpp).
template <class T, class Data = T const*>
struct Lines {
  Data data;
  Index count;
  Index length;
  Index leading;  ///< between lines, in elements
  /// 0: from summation::panels. Parts have the panels of the whole matrix.
  Index panel_lines = 0;
  /// 1, except in a single line, which is packed before a kernel.
  Index stride = 1;

  KOKKOS_INLINE_FUNCTION Data line(Index i) const { return data + i * leading; }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION Index bytes() const {
    return count * length * static_cast<Index>(sizeof(T));
  }
  KOKKOS_INLINE_FUNCTION Lines from(Index first, Index some) const {
    return {line(first), some, length, leading};
  }
  [[nodiscard]] summation::Panels panels() const {
    return panel_lines == 0 ? summation::panels(count, length)
                            : summation::Panels{.lines = panel_lines,
                                                .count = summation::ceil_div(count, panel_lines)};
  }
};

template <class T>
struct Meeting {
  int* arrivals = nullptr;  ///< zero before and after each kernel
  T* exchange = nullptr;    ///< undefined contents
};

/// `data` may be null.
template <class T>
struct OutputVector {
  T* data;
  Index stride;

  KOKKOS_INLINE_FUNCTION void set(Index i, T value) const {
    if (data != nullptr) data[i * stride] = value;
  }
  /// Sets [begin, end) to `sums` + 0.
  KOKKOS_INLINE_FUNCTION void set_sums(T const* sums, Index begin, Index end) const {
    if (data == nullptr) return;
    if (stride == 1) {
      for (Index j = begin; j < end; ++j) data[j] = sums[j] + T(0);
    } else {
      for (Index j = begin; j < end; ++j) data[j * stride] = sums[j] + T(0);
    }
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION OutputVector from(Index i) const {
    return {data == nullptr ? nullptr : data + i * stride, stride};
  }
};

/// Calls body(StaticInt<N>, first) for N = `step` lines (a power of two <= Most), then smaller
/// powers of two.
template <int Most, class Body>
KOKKOS_INLINE_FUNCTION void for_line_blocks(int step, Index first, Index last, Body const& body) {
  if (step >= Most) {
    for (; first + Most <= last; first += Most) body(StaticInt<Most>{}, first);
  }
  if constexpr (Most > 1) {
    if (first < last) for_line_blocks<Most / 2>(step, first, last, body);
  }
}

inline constexpr int most_lines_per_step = 8;

/// Rounds up to 16 bytes, the widest load.
template <class T>
constexpr Index whole_words(Index scalars) {
  constexpr Index word = 16 / sizeof(T);
  return summation::ceil_div(scalars, word) * word;
}

template <class T, int Count>
struct PerLineOf {
  using Type = T[static_cast<std::size_t>(Count)];
};

/// Member of a class: nvcc 12.4 has an internal error for an alias of the array in a lambda.
template <class T, int Count>
using PerLine = typename PerLineOf<T, Count>::Type;

template <class Matrix>
inline constexpr bool is_row_major =
    std::is_same_v<typename Matrix::array_layout, Kokkos::LayoutRight>;

template <class T, class Data>
using LoadedFrom = std::conditional_t<std::is_pointer_v<Data>, T const*, Data>;

template <bool Rows, class Matrix, class T = typename Matrix::non_const_value_type>
Lines<T, LoadedFrom<T, decltype(std::declval<Matrix const&>().data())>> lines_of(Matrix const& A) {
  auto const rows = static_cast<Index>(A.extent(0));
  auto const cols = static_cast<Index>(A.extent(1));
  if constexpr (Rows) {
    if (rows == 1) {
      auto const leading = std::max(static_cast<Index>(A.stride(0)), cols);
      auto const stride = cols == 1 ? Index{1} : static_cast<Index>(A.stride(1));
      return {A.data(), rows, cols, leading, 0, stride};
    }
    return {A.data(), rows, cols, static_cast<Index>(A.stride(0))};
  } else {
    return {A.data(), cols, rows, static_cast<Index>(A.stride(1))};
  }
}

}  // namespace tessera::detail
