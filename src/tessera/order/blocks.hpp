// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/order/lines.hpp>

/// Each column of a block is summed independently. One vector is a block of one.
namespace tessera::detail {

inline constexpr int most_columns = 32;

struct OneColumn {
  static constexpr int most = 1;
  KOKKOS_INLINE_FUNCTION static constexpr int count() { return 1; }
};

struct SomeColumns {
  static constexpr int most = most_columns;
  int number;
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int count() const { return number; }
};

template <class T>
struct InputVectors {
  T const* data;
  Index pitch;  ///< between vectors
};

/// `data` may be null.
template <class T>
struct OutputVectors {
  T* data;
  Index stride;  ///< between elements
  Index pitch;   ///< between vectors
  Index length;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION OutputVector<T> column(Index c) const {
    return {data == nullptr ? nullptr : data + c * pitch, stride};
  }
  [[nodiscard]] OutputVectors from(Index c) const {
    return {data == nullptr ? nullptr : data + c * pitch, stride, pitch, length};
  }
  KOKKOS_INLINE_FUNCTION void set(Index i, T value) const {
    column(i / length).set(i % length, value);
  }
  /// Sets elements [begin, end), column by column, to `sums` + 0.
  KOKKOS_INLINE_FUNCTION void set_sums(T const* sums, Index begin, Index end) const {
    while (begin < end) {
      Index const c = begin / length;
      Index const stop = Kokkos::min(end, (c + 1) * length);
      column(c).set_sums(sums + c * length, begin - c * length, stop - c * length);
      begin = stop;
    }
  }
};

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

template <class Columns, class T>
OutputOf<T, Columns> contiguous_output(T* data, Index length) {
  if constexpr (Columns::most == 1) {
    return {data, 1};
  } else {
    return {data, 1, length, length};
  }
}

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
