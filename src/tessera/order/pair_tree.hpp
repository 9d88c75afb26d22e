// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/summation.hpp>

namespace tessera::detail {

using summation::Index;

/// The adjacent-pair tree over values in order: a binary counter of finished subtrees.
template <class T>
class PairTree {
 public:
  KOKKOS_FORCEINLINE_FUNCTION void push(T value) {
    int level = 0;
    for (Index rest = count_; (rest & 1) != 0; rest >>= 1) value = subtree_[level++] + value;
    subtree_[level] = value;
    ++count_;
  }
  /// +0 if nothing was pushed. A -0 becomes +0.
  KOKKOS_INLINE_FUNCTION T sum() const {
    T result = T(0);
    int level = 0;
    bool first = true;
    for (Index rest = count_; rest != 0; rest >>= 1, ++level) {
      if ((rest & 1) == 0) continue;
      result = first ? subtree_[level] : subtree_[level] + result;
      first = false;
    }
    return result + T(0);
  }

 private:
  static constexpr int max_levels = 56;  // 2^63 bytes in segments of 2^10, and some
  Index count_ = 0;
  T subtree_[max_levels];
};

}  // namespace tessera::detail
