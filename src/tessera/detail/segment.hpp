// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/simd.hpp>
#include <tessera/detail/lines.hpp>
#include <tessera/detail/static_for.hpp>

/// Dot products of lines in the canonical order, for one thread that owns all lanes.
namespace tessera::detail {

/// Packs that hold the lanes of a segment.
template <class T>
inline constexpr int lane_packs = summation::lanes<T> / backends::host::pack_width<T>;

/// The adjacent-pair tree over the lanes of a segment.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T sum_of_lanes(backends::host::Pack<T> const* lanes) {  // (lane_packs)
  namespace host = backends::host;
  constexpr int width = host::pack_width<T>;
  if constexpr (lane_packs<T> == width) {
    return host::sum_of_pack<T>(host::sums_of_packs(lanes));
  } else {
    static_assert(lane_packs<T> == 2 * width);
    return host::sum_of_pack<T>(host::sums_of_packs(lanes)) +
           host::sum_of_pack<T>(host::sums_of_packs(lanes + width));
  }
}

/// Sum of the first `Steps` rows of lanes of a segment, each of them complete.
template <int Steps, class T>
KOKKOS_FORCEINLINE_FUNCTION void add_whole_steps(T const* line, T const* x,
                                                 backends::host::Pack<T>* lanes) {
  namespace host = backends::host;
  constexpr int width = host::pack_width<T>;
  static_for<lane_packs<T>>(
      [&](auto p) __attribute__((always_inline)) { lanes[p()] = host::zero_pack<T>(); });
  static_for<Steps>([&](auto k) __attribute__((always_inline)) {
    static_for<lane_packs<T>>([&](auto p) __attribute__((always_inline)) {
      constexpr int j = k() * summation::lanes<T> + p() * width;
      lanes[p()] = host::fma<T>(host::load_pack(line + j), host::load_pack(x + j), lanes[p()]);
    });
  });
}

/// The subtree of one whole segment of `line` and `x`.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T segment_sum(T const* line, T const* x) {
  PerLine<backends::host::Pack<T>, lane_packs<T>> lanes;
  add_whole_steps<summation::chain_steps>(line, x, lanes);
  return sum_of_lanes<T>(lanes);
}

/// The subtree of the last segment of a line, of 1 <= `length` < segment elements.
template <class T>
KOKKOS_INLINE_FUNCTION T partial_segment_sum(T const* line, T const* x, int length) {
  namespace host = backends::host;
  constexpr int width = host::pack_width<T>;
  PerLine<host::Pack<T>, lane_packs<T>> lanes;
  int const steps = length / summation::lanes<T>;
  switch (steps) {
    case 0:
      add_whole_steps<0>(line, x, lanes);
      break;
    case 1:
      add_whole_steps<1>(line, x, lanes);
      break;
    case 2:
      add_whole_steps<2>(line, x, lanes);
      break;
    default:
      add_whole_steps<3>(line, x, lanes);
      break;
  }
  // The last step has `whole` packs and `rest` elements, which join zeros in a pack of their own.
  int const done = steps * summation::lanes<T>;
  int const whole = (length - done) / width;
  int const rest = (length - done) % width;
  line += done;
  x += done;
  PerLine<T, width> line_rest{};
  PerLine<T, width> x_rest{};
  for (int l = 0; l < rest; ++l) {
    line_rest[l] = line[whole * width + l];
    x_rest[l] = x[whole * width + l];
  }
  static_for<lane_packs<T>>([&](auto p) __attribute__((always_inline)) {
    if (p() < whole) {
      lanes[p()] = host::fma<T>(host::load_pack(line + p() * width),
                                host::load_pack(x + p() * width), lanes[p()]);
    } else if (p() == whole) {
      lanes[p()] = host::fma<T>(host::load_pack(line_rest), host::load_pack(x_rest), lanes[p()]);
    }
  });
  return sum_of_lanes<T>(lanes);
}

/// The adjacent-pair tree over values that arrive in order: a binary counter of finished subtrees.
template <class T>
class PairTree {
 public:
  /// Adds the next value.
  KOKKOS_FORCEINLINE_FUNCTION void push(T value) {
    int level = 0;
    for (Index rest = count_; (rest & 1) != 0; rest >>= 1) value = subtree_[level++] + value;
    subtree_[level] = value;
    ++count_;
  }
  /// The tree's value; +0 if nothing was pushed. A -0 becomes +0.
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
  static constexpr int max_levels = 56;  // 2^63 bytes of segments of 2^10 bytes, and some
  Index count_ = 0;
  T subtree_[max_levels];
};

/// Dot products of `Count` lines, from element `begin` (a multiple of a segment) to `end`, with x;
/// the lines are walked side by side, so that x is read once.
template <int Count, class T, class Store>
KOKKOS_INLINE_FUNCTION void dot_lines(Lines<T> const& lines, Index first, T const* x, Index begin,
                                      Index end, Store const& store) {
  constexpr int segment = summation::segment<T>;
  PerLine<PairTree<T>, Count> tree;
  Index j = begin;
  for (; j + segment <= end; j += segment) {
    static_for<Count>([&](auto r) __attribute__((always_inline)) {
      tree[r()].push(segment_sum(lines.line(first + r()) + j, x + j));
    });
  }
  if (j < end) {
    for (int r = 0; r < Count; ++r) {
      tree[r].push(
          partial_segment_sum(lines.line(first + r) + j, x + j, static_cast<int>(end - j)));
    }
  }
  for (int r = 0; r < Count; ++r) store(first + r, tree[r].sum());
}

}  // namespace tessera::detail
