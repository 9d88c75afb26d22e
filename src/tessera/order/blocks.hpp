// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/order/lines.hpp>

/// Blocks of vectors, as kernels see them: a kernel of one vector is the same kernel for a block of
/// one. Each column goes its own way through the order of summation.
namespace tessera::detail {

/// Most columns of a block that a kernel takes while it reads the matrix once.
inline constexpr int most_columns = 32;

/// A kernel's block is one vector.
struct OneColumn {
  static constexpr int most = 1;
  KOKKOS_INLINE_FUNCTION static constexpr int count() { return 1; }
};

/// A kernel's block has so many columns.
struct SomeColumns {
  static constexpr int most = most_columns;
  int number;
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int count() const { return number; }
};

/// Vectors that come in, each contiguous.
template <class T>
struct InputVectors {
  T const* data;
  Index pitch;  ///< from one to the next
};

/// Vectors that a kernel writes; `data` is null when nobody wants them. Together they are also one
/// long vector, column by column.
template <class T>
struct OutputVectors {
  T* data;
  Index stride;  ///< distance between elements of a vector, in elements
  Index pitch;   ///< from one vector to the next
  Index length;  ///< elements of a vector

  [[nodiscard]] KOKKOS_INLINE_FUNCTION OutputVector<T> column(Index c) const {
    return {data == nullptr ? nullptr : data + c * pitch, stride};
  }
  /// Those from column c on.
  [[nodiscard]] OutputVectors from(Index c) const {
    return {data == nullptr ? nullptr : data + c * pitch, stride, pitch, length};
  }
  KOKKOS_INLINE_FUNCTION void set(Index i, T value) const {
    column(i / length).set(i % length, value);
  }
  /// Elements [begin, end) of the long vector = those of `sums`, + 0.
  KOKKOS_INLINE_FUNCTION void set_sums(T const* sums, Index begin, Index end) const {
    while (begin < end) {
      Index const c = begin / length;
      Index const stop = Kokkos::min(end, (c + 1) * length);
      column(c).set_sums(sums + c * length, begin - c * length, stop - c * length);
      begin = stop;
    }
  }
};

/// One vector as a block.
template <class T>
InputVectors<T> as_block(T const* x) {
  return {x, 0};
}
template <class T>
InputVectors<T> as_block(InputVectors<T> const& x) {
  return x;
}

template <class T, class Columns>
using InputOf = std::conditional_t<Columns::most == 1, T const*, InputVectors<T>>;
template <class T, class Columns>
using OutputOf = std::conditional_t<Columns::most == 1, OutputVector<T>, OutputVectors<T>>;

/// Vectors of `length` elements one after the other from `data` on; one of them, or a block.
template <class Columns, class T>
OutputOf<T, Columns> contiguous_output(T* data, Index length) {
  if constexpr (Columns::most == 1) {
    return {data, 1};
  } else {
    return {data, 1, length, length};
  }
}

/// Column c of a block, which a vector is, too.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T const* column_of(T const* x, int /*c*/) {
  return x;
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T const* column_of(InputVectors<T> const& x, int c) {
  return x.data + c * x.pitch;
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION OutputVector<T> column_of(OutputVector<T> const& y, int /*c*/) {
  return y;
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION OutputVector<T> column_of(OutputVectors<T> const& y, int c) {
  return y.column(c);
}

}  // namespace tessera::detail
