// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/cache.hpp>
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

/// +0 in every lane.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void clear(backends::host::Pack<T>* lanes) {
  static_for<lane_packs<T>>(
      [&](auto p) __attribute__((always_inline)) { lanes[p()] = backends::host::zero_pack<T>(); });
}

/// Adds one element of line and x to each lane.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void add_step(T const* line, T const* x,
                                          backends::host::Pack<T>* lanes) {
  namespace host = backends::host;
  static_for<lane_packs<T>>([&](auto p) __attribute__((always_inline)) {
    constexpr int j = p() * host::pack_width<T>;
    lanes[p()] = host::fma<T>(host::load_pack(line + j), host::load_pack(x + j), lanes[p()]);
  });
}

/// The subtree of one whole segment of `line` and `x`.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T segment_sum(T const* line, T const* x) {
  PerLine<backends::host::Pack<T>, lane_packs<T>> lanes;
  clear<T>(lanes);
  static_for<summation::chain_steps>([&](auto k) __attribute__((always_inline)) {
    add_step(line + k() * summation::lanes<T>, x + k() * summation::lanes<T>, lanes);
  });
  return sum_of_lanes<T>(lanes);
}

/// The subtree of the last segment of a line, of 1 <= `length` < segment elements.
template <class T>
KOKKOS_INLINE_FUNCTION T last_segment_sum(T const* line, T const* x, int length) {
  namespace host = backends::host;
  constexpr int width = host::pack_width<T>;
  constexpr int step = summation::lanes<T>;
  PerLine<host::Pack<T>, lane_packs<T>> lanes;
  clear<T>(lanes);
  int done = 0;
  for (; done + step <= length; done += step) add_step(line + done, x + done, lanes);
  static_for<lane_packs<T>>([&](auto p) __attribute__((always_inline)) {
    int const j = done + p() * width;
    if (j + width <= length) {
      lanes[p()] = host::fma<T>(host::load_pack(line + j), host::load_pack(x + j), lanes[p()]);
    } else if (j < length) {
      lanes[p()] = host::fma<T>(host::load_first(line + j, length - j),
                                host::load_first(x + j, length - j), lanes[p()]);
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

/// How far ahead a host's threads ask for these lines, in elements.
template <class T>
Index prefetch_distance(Lines<T> const& lines) {
  constexpr Index size = sizeof(T);
  return backends::host::prefetch_distance(lines.count * lines.length * size) / size;
}

/// A thread asks for nothing.
struct NothingAhead {
  KOKKOS_FORCEINLINE_FUNCTION void fetch(int /*r*/, Index /*j*/, Index /*length*/) const {}
};

/// What a thread that goes over lines, `count` at a time, will need next: it asks for that so early
/// that memory has it ready, which processors do by themselves within a page only.
template <class T>
class Ahead {
 public:
  /// For elements [begin, end) of lines from `first` on; `distance` is in elements.
  KOKKOS_FORCEINLINE_FUNCTION Ahead(Lines<T> const& lines, Index first, int count, Index begin,
                                    Index end, Index distance)
      : lines_(lines), near_(first * lines.leading + distance), turn_(end - distance) {
    Index const span = end - begin;
    if (distance < span) {
      far_ = (first + count) * lines.leading + distance - span;
    } else {
      far_ = (first + summation::ceil_div(distance, span) * count) * lines.leading;
      turn_ = begin;
    }
  }
  /// Asks for what follows elements [j, j + length) of line first + r, where anything does.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(int r, Index j, Index length) const {
    constexpr Index at_a_time = 64 / static_cast<Index>(sizeof(T));
    Index const all = (lines_.count - 1) * lines_.leading + lines_.length;
    Index const place = (j < turn_ ? near_ : far_) + r * lines_.leading + j;
    if (place + length > all) return;
    for (Index k = 0; k < length; k += at_a_time) {
      backends::host::prefetch(lines_.data + place + k);
    }
  }

 private:
  Lines<T> const& lines_;
  Index near_;
  Index far_;  // from element turn_ on: of a later line
  Index turn_;
};

/// Dot products of `Count` lines, from element `begin` (a multiple of a segment) to `end`, with x;
/// the lines are walked side by side, so that x is read once.
template <int Count, class T, class Ask, class Store>
KOKKOS_INLINE_FUNCTION void dot_lines_asking(Ask const& next, Lines<T> const& lines, Index first,
                                             T const* x, Index begin, Index end,
                                             Store const& store) {
  constexpr int segment = summation::segment<T>;
  PerLine<PairTree<T>, Count> tree;
  Index j = begin;
  for (; j + segment <= end; j += segment) {
    static_for<Count>([&](auto r) __attribute__((always_inline)) {
      next.fetch(r(), j, segment);
      tree[r()].push(segment_sum(lines.line(first + r()) + j, x + j));
    });
  }
  if (j < end) {
    for (int r = 0; r < Count; ++r) {
      next.fetch(r, j, end - j);
      tree[r].push(last_segment_sum(lines.line(first + r) + j, x + j, static_cast<int>(end - j)));
    }
  }
  for (int r = 0; r < Count; ++r) store(first + r, tree[r].sum());
}

/// The same; `ahead` is how far ahead lines are asked for, in elements; 0: not.
template <int Count, class T, class Store>
KOKKOS_INLINE_FUNCTION void dot_lines(Lines<T> const& lines, Index first, T const* x, Index begin,
                                      Index end, Index ahead, Store const& store) {
  if (ahead > 0) {
    Ahead<T> const next(lines, first, Count, begin, end, ahead);
    dot_lines_asking<Count>(next, lines, first, x, begin, end, store);
  } else {
    dot_lines_asking<Count>(NothingAhead{}, lines, first, x, begin, end, store);
  }
}

}  // namespace tessera::detail
