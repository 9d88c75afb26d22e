// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/gpu/words.hpp>

/// Adjacent-pair trees over a warp's threads. Both partners of an exchange add: the same bits, as
/// addition is commutative.
namespace tessera::detail::gpu {

/// All threads of a group get the result.
template <class Warp, int Threads, class T>
KOKKOS_FORCEINLINE_FUNCTION T tree_over_threads(T value) {
  static_for<log2_of<Threads>>(
      [&](auto level) { value += Warp::shuffle_xor(value, 1 << level()); });
  return value;
}
template <class Warp, class T>
KOKKOS_FORCEINLINE_FUNCTION T tree_over_threads(T value, int threads) {
  for (int o = 1; o < threads; o *= 2) value += Warp::shuffle_xor(value, o);
  return value;
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION T tree_over_word(Word<T> const& word) {
  if constexpr (word_width<T> == 4) {
    return (word.e[0] + word.e[1]) + (word.e[2] + word.e[3]);
  } else {
    return word.e[0] + word.e[1];
  }
}

/// Each of sixteen threads has a word of lanes; all get the result.
template <class Warp, bool Aligned, class T>
KOKKOS_FORCEINLINE_FUNCTION T tree_over_lanes(Word<T> const& lanes, int thread) {
  if constexpr (Aligned) {
    return tree_over_threads<Warp, segment_threads>(tree_over_word(lanes));
  } else {
    // Element e of thread t is lane 16 e + t: the tree starts across threads. Partners split the
    // elements at each level.
    auto const keep_half = [&](T low, T high, int mask) {
      bool const upper = (thread & mask) != 0;
      T const received = Warp::shuffle_xor(upper ? low : high, mask);
      return (upper ? high : low) + received;
    };
    T value;
    if constexpr (word_width<T> == 4) {
      T const low = keep_half(lanes.e[0], lanes.e[2], 1);
      T const high = keep_half(lanes.e[1], lanes.e[3], 1);
      value = keep_half(low, high, 2);  // element 2 * (bit 0 of the thread) + (bit 1)
      value += Warp::shuffle_xor(value, 4);
      value += Warp::shuffle_xor(value, 8);
      value += Warp::shuffle_xor(value, 2);
      value += Warp::shuffle_xor(value, 1);
    } else {
      value = keep_half(lanes.e[0], lanes.e[1], 1);  // element (bit 0 of the thread)
      value += Warp::shuffle_xor(value, 2);
      value += Warp::shuffle_xor(value, 4);
      value += Warp::shuffle_xor(value, 8);
      value += Warp::shuffle_xor(value, 1);
    }
    return value;
  }
}

template <class Warp, bool Aligned, int Words, class T>
KOKKOS_FORCEINLINE_FUNCTION T segment_dot(Word<T> const* line, Word<T> const* x, int thread) {
  Word<T> lanes{};
  static_for<Words>([&](auto k) { multiply_add(line[k()], x[k()], lanes); });
  return tree_over_lanes<Warp, Aligned>(lanes, thread);
}

/// Tree over up to 2^15 values that a warp pushes. Thread t keeps values t modulo 32; so do upper
/// levels.
template <class Warp, class T>
class WarpTree {
 public:
  static constexpr Index max_values = Index{1} << 15;

  KOKKOS_FORCEINLINE_FUNCTION explicit WarpTree(int lane = 0) : lane_(lane) {}
  KOKKOS_FORCEINLINE_FUNCTION void push(T value) {
    if (lane_ == count_ % warp_threads) value_ = value;
    if (++count_ % warp_threads == 0) {
      keep_block();
      value_ = T(0);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION T sum() {
    if (count_ <= warp_threads) {
      return tree_over_threads<Warp, warp_threads>(count_ == warp_threads ? block_ : value_);
    }
    if (count_ % warp_threads != 0) {
      count_ += warp_threads - count_ % warp_threads;
      keep_block();
    }
    if (count_ / warp_threads % warp_threads != 0) keep_large();
    return tree_over_threads<Warp, warp_threads>(large_);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void keep_block() {
    T const block = tree_over_threads<Warp, warp_threads>(value_);
    int const blocks = count_ / warp_threads;
    if (lane_ == (blocks - 1) % warp_threads) block_ = block;
    if (blocks % warp_threads == 0) keep_large();
  }
  KOKKOS_FORCEINLINE_FUNCTION void keep_large() {
    T const large = tree_over_threads<Warp, warp_threads>(block_);
    if (lane_ == (count_ - 1) / (warp_threads * warp_threads)) large_ = large;
    block_ = T(0);
  }

  int lane_;
  int count_ = 0;
  T value_ = T(0);
  T block_ = T(0);
  T large_ = T(0);
};

}  // namespace tessera::detail::gpu
