// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <Kokkos_Core.hpp>

#include <tessera/summation.hpp>

/// The adjacent-pair tree over vectors, for one thread.
namespace tessera::detail {

using summation::Index;

template <class T>
KOKKOS_INLINE_FUNCTION void add_vector(T* KOKKOS_RESTRICT a, T const* KOKKOS_RESTRICT b,
                                       Index width) {
  for (Index j = 0; j < width; ++j) a[j] += b[j];
}

/// A vector joins the waiting subtrees, newest first, and replaces the oldest.
template <class T>
struct Joined {
  T* oldest;  ///< a free level if no subtree waits
  int waiting = 0;
  T* newest = nullptr;
  Index pitch = 0;  ///< except to the oldest

  KOKKOS_INLINE_FUNCTION T* subtree(int i) const {
    return i < waiting - 1 ? newest - i * pitch : oldest;
  }
  KOKKOS_INLINE_FUNCTION Joined from(Index j) const {
    return {oldest + j, waiting, newest == nullptr ? nullptr : newest + j, pitch};
  }
  /// Call it after the vector has joined the newest.
  KOKKOS_INLINE_FUNCTION void join_others(Index width) const {
    for (int i = 1; i < waiting; ++i) add_vector(subtree(i), subtree(i - 1), width);
  }
};

/// A binary counter of finished subtrees. Level 0 is the result; the others are scratch.
template <class T>
struct VectorStack {
  T* bottom;  // (pitch)
  T* above;   // (levels - 1, pitch)
  Index pitch;

  KOKKOS_INLINE_FUNCTION T* level(int l) const { return l == 0 ? bottom : above + (l - 1) * pitch; }
  KOKKOS_INLINE_FUNCTION VectorStack from(Index j) const { return {bottom + j, above + j, pitch}; }
  KOKKOS_INLINE_FUNCTION static int level_of(Index index) {
    return Kokkos::popcount(static_cast<std::uint64_t>(index));
  }
  /// If the vector joins all subtrees that it completes at once.
  KOKKOS_INLINE_FUNCTION Joined<T> joined(Index index) const {
    int const l = level_of(index);
    int const waiting = Kokkos::countr_one(static_cast<std::uint64_t>(index));
    return {level(l - waiting), waiting, waiting > 1 ? level(l - 1) : nullptr, pitch};
  }
  /// Merges the subtrees that vector `index`, already written, completes.
  KOKKOS_INLINE_FUNCTION void merge(Index index, Index begin, Index end) const {
    Joined<T> const to = joined(index).from(begin);
    if (to.waiting == 0) return;
    add_vector(to.subtree(0), level(level_of(index)) + begin, end - begin);
    to.join_others(end - begin);
  }
  /// Merges the remaining subtrees, after `count` vectors.
  KOKKOS_INLINE_FUNCTION void finish(Index count, Index begin, Index end) const {
    for (int l = level_of(count) - 1; l > 0; --l) {
      add_vector(level(l - 1) + begin, level(l) + begin, end - begin);
    }
  }
  KOKKOS_INLINE_FUNCTION static constexpr Index levels_above(Index count) {
    return static_cast<int>(Kokkos::bit_width(static_cast<std::uint64_t>(count))) - 1;
  }
};

}  // namespace tessera::detail
