// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/ahead.hpp>
#include <tessera/backends/host/avx512.hpp>
#include <tessera/backends/host/simd.hpp>
#include <tessera/backends/host/widen.hpp>
#include <tessera/order/blocks.hpp>
#include <tessera/order/lines.hpp>
#include <tessera/order/pair_tree.hpp>
#include <tessera/order/static_for.hpp>

/// Dot products of lines by one thread that computes all lanes.
namespace tessera::detail {

template <class T>
inline constexpr int lane_packs = summation::lanes<T> / backends::host::pack_width<T>;

template <class T>
inline constexpr int segment_level = backends::host::tree_levels<lane_packs<T>>;

/// Segments per line whose packs wait to be combined.
inline constexpr int waiting_segments = 8;

/// Chains of packs from number `First`, of whole segments. They begin with a product: zeros would
/// occupy registers.
template <int First, int Packs, int Count, class T, class Data>
KOKKOS_FORCEINLINE_FUNCTION void chains_of(
    PerLine<Data, Count> const& line, T const* x,
    PerLine<PerLine<backends::host::Pack<T>, Packs>, Count>& lanes) {
  namespace host = backends::host;
  static_for<summation::chain_steps>([&](auto k) __attribute__((always_inline)) {
    static_for<Packs>([&](auto p) __attribute__((always_inline)) {
      constexpr int j = k() * summation::lanes<T> + (First + p()) * host::pack_width<T>;
      host::Pack<T> const factor = host::load_pack(x + j);
      static_for<Count>([&](auto r) __attribute__((always_inline)) {
        host::Pack<T> const element = host::load_pack(line[r()] + j);
        if constexpr (k() == 0) {
          lanes[r()][p()] = host::multiply<T>(element, factor);
        } else {
          lanes[r()][p()] = host::fma<T>(element, factor, lanes[r()][p()]);
        }
      });
    });
  });
}

/// Makes one pack per line and whole segment. Walks lines forward.
template <int Count, class T, class Data>
KOKKOS_FORCEINLINE_FUNCTION void whole_segments(PerLine<Data, Count> const& line, T const* x,
                                                backends::host::Pack<T>* result) {
  namespace host = backends::host;
  PerLine<PerLine<host::Pack<T>, lane_packs<T>>, Count> lanes;
  chains_of<0, lane_packs<T>, Count, T, Data>(line, x, lanes);
  static_for<Count>([&](auto r) __attribute__((always_inline)) {
    result[r()] = host::tree_of_packs<0, lane_packs<T>, T>(lanes[r()]);
  });
}

/// Goes pair by pair of packs: more lines share the loads of x, but are not walked forward, which
/// is fast only in cache.
template <int Count, class T, class Data>
KOKKOS_FORCEINLINE_FUNCTION void whole_segments_by_pairs(PerLine<Data, Count> const& line,
                                                         T const* x,
                                                         backends::host::Pack<T>* result) {
  namespace host = backends::host;
  static_assert(lane_packs<T> == 8);
  // Waiting leaves would take registers.
  PerLine<PerLine<host::Pack<T>, lane_packs<T> / 2>, Count> pair;
  static_for<lane_packs<T> / 2>([&](auto q) __attribute__((always_inline)) {
    PerLine<PerLine<host::Pack<T>, 2>, Count> lanes;
    chains_of<2 * q(), 2, Count, T, Data>(line, x, lanes);
    static_for<Count>([&](auto r) __attribute__((always_inline)) {
      pair[r()][q()] = host::add_level<0, T>(lanes[r()][0], lanes[r()][1]);
      if constexpr (q() % 2 == 1) {
        pair[r()][q() / 2] = host::add_level<1, T>(pair[r()][q() - 1], pair[r()][q()]);
      }
    });
  });
  static_for<Count>([&](auto r) __attribute__((always_inline)) {
    result[r()] = host::add_level<2, T>(pair[r()][0], pair[r()][1]);
  });
}

/// Reduces segments of `Whole` packs and 0 <= `rest` elements to a pack per line.
template <int Whole, class T, class Data>
KOKKOS_INLINE_FUNCTION void last_segments_with(Data line, Index leading, int count, T const* x,
                                               int rest, backends::host::Pack<T>* result) {
  namespace host = backends::host;
  constexpr int width = host::pack_width<T>;
  for (int r = 0; r < count; ++r, line = line + leading) {
    PerLine<host::Pack<T>, lane_packs<T>> lanes;
    static_for<lane_packs<T>>(
        [&](auto p) __attribute__((always_inline)) { lanes[p()] = host::zero_pack<T>(); });
    auto const add = [&](auto p, host::Pack<T> const& element, host::Pack<T> const& factor)
                         __attribute__((always_inline)) {
                           constexpr int lane = p() % lane_packs<T>;
                           lanes[lane] = host::fma<T>(element, factor, lanes[lane]);
                         };
    static_for<Whole>([&](auto p) __attribute__((always_inline)) {
      add(p, host::load_pack(line + p() * width), host::load_pack(x + p() * width));
    });
    if (rest > 0) {
      constexpr int j = Whole * width;
      add(StaticInt<Whole>{}, host::load_first(line + j, rest), host::load_first(x + j, rest));
    }
    result[r] = host::tree_of_packs<0, lane_packs<T>, T>(lanes);
  }
}

/// Segments of 1 <= `length` < segment elements: First to Last - 1 whole packs.
template <class T, int First = 0, int Last = summation::chain_steps * lane_packs<T>, class Data>
KOKKOS_INLINE_FUNCTION void last_segments(Data line, Index leading, int count, T const* x,
                                          int length, backends::host::Pack<T>* result) {
  constexpr int width = backends::host::pack_width<T>;
  constexpr int middle = (First + Last) / 2;
  if constexpr (First + 1 == Last) {
    last_segments_with<First, T>(line, leading, count, x, length - First * width, result);
  } else if (length < middle * width) {
    last_segments<T, First, middle>(line, leading, count, x, length, result);
  } else {
    last_segments<T, middle, Last>(line, leading, count, x, length, result);
  }
}

/// The tree over 1 <= `count` <= waiting_segments packs: a pack with its elements in order.
/// Overwrites packs beyond `count`.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION backends::host::Pack<T> tree_of_segments(backends::host::Pack<T>* pack,
                                                                     int count) {
  namespace host = backends::host;
  static_assert(waiting_segments == 8);
  auto const tree_of = [&](auto all) __attribute__((always_inline)) {
    static_for<all() / 2>([&](auto i) __attribute__((always_inline)) {
      constexpr int place = all() / 2 + i();
      if (place >= count) pack[place] = host::zero_pack<T>();
    });
    return host::in_order<segment_level<T> + host::tree_levels<all()>, T>(
        host::tree_of_packs<segment_level<T>, all(), T>(pack));
  };
  if (count == 1) return host::in_order<segment_level<T>, T>(*pack);
  if (count == 2) return tree_of(StaticInt<2>{});
  return count <= 4 ? tree_of(StaticInt<4>{}) : tree_of(StaticInt<8>{});
}

template <int Count, class T>
KOKKOS_FORCEINLINE_FUNCTION void sums_of_packs(backends::host::Pack<T> const* pack, T* sums) {
  namespace host = backends::host;
  constexpr int width = host::pack_width<T>;
  if constexpr (Count == 1) {
    *sums = host::sum_of_pack<T>(*pack);
  } else if constexpr (Count > width) {
    sums_of_packs<Count / 2>(pack, sums);
    sums_of_packs<Count / 2>(pack + Count / 2, sums + Count / 2);
  } else {
    host::Pack<T> const all =
        host::in_order<host::tree_levels<Count>, T>(host::tree_of_packs<0, Count, T>(pack));
    static_for<Count>([&](auto r) __attribute__((always_inline)) { sums[r()] = all[r()]; });
  }
}

template <class T, int Count>
using WaitingPacks = PerLine<PerLine<backends::host::Pack<T>, waiting_segments>, Count>;

/// Two lines share the loads of x and use all registers; four, if `Most` is 4, are not walked
/// forward. Prefetches as much of `next`.
template <int Most, class T, class Ask, class Data = T const*>
struct SegmentsByPacks {
  static constexpr int at_a_time = waiting_segments;
  Lines<T, Data> const& lines;
  T const* x;
  Ask next;

  /// Lines of `length` <= segment elements are fastest one by one.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void one(Index first, Index begin, int length, T* sums) const {
    namespace host = backends::host;
    Data const line = lines.line(first) + begin;
    PerLine<host::Pack<T>, Count> pack;
    for (int r = 0; r < Count; ++r) next.fetch(r, begin, length);
    if (length == summation::segment<T>) {
      for_by_twos<Count>([&](int r) __attribute__((always_inline)) {
        PerLine<Data, 1> const alone = {line + r * lines.leading};
        whole_segments<1, T, Data>(alone, x + begin, pack + r);
      });
    } else {
      last_segments<T>(line, lines.leading, Count, x + begin, length, pack);
    }
    static_for<Count>([&](auto r) __attribute__((always_inline)) {
      pack[r()] = host::in_order<segment_level<T>, T>(pack[r()]);
    });
    sums_of_packs<Count>(pack, sums);
  }

  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void all(Index first, Index begin, int length, T* sums) const {
    namespace host = backends::host;
    constexpr int segment = summation::segment<T>;
    constexpr int together = Count < Most ? Count : Most;
    WaitingPacks<T, Count> waiting;
    PerLine<host::Pack<T>, Count> pack;
    int count = 0;
    Index j = begin;
    Index const end = begin + length;
    for (; j + segment <= end; ++count, j += segment) {
      for_by_twos<Count / together>([&](int group) __attribute__((always_inline)) {
        int const r0 = group * together;
        PerLine<Data, together> line;
        PerLine<host::Pack<T>, together> packs;
        static_for<together>([&](auto r) __attribute__((always_inline)) {
          next.fetch(r0 + r(), j, segment);
          line[r()] = lines.line(first + r0 + r()) + j;
        });
        if constexpr (together > 2) {
          whole_segments_by_pairs<together, T, Data>(line, x + j, packs);
        } else {
          whole_segments<together, T, Data>(line, x + j, packs);
        }
        static_for<together>(
            [&](auto r) __attribute__((always_inline)) { waiting[r0 + r()][count] = packs[r()]; });
      });
    }
    if (j < end) {
      auto const rest = static_cast<int>(end - j);
      for (int r = 0; r < Count; ++r) next.fetch(r, j, rest);
      last_segments<T>(lines.line(first) + j, lines.leading, Count, x + j, rest, pack);
      for (int r = 0; r < Count; ++r) waiting[r][count] = pack[r];
      ++count;
    }
    for (int r = 0; r < Count; ++r) pack[r] = tree_of_segments<T>(waiting[r], count);
    sums_of_packs<Count>(pack, sums);
  }
};

template <class T>
struct SegmentsByRegisters {
  static constexpr int at_a_time = backends::host::avx512::most_segments;
  Lines<T> const& lines;
  T const* x;

  template <int Count>
  void all(Index first, Index begin, int length, T* sums) const {
    backends::host::avx512::dot_lines(lines.line(first) + begin, lines.leading, Index{Count},
                                      x + begin, length, sums, Index{1});
  }
};

/// `begin` is a multiple of a segment.
template <int Count, class T, class Segments>
KOKKOS_INLINE_FUNCTION void dot_lines_by(Segments const& segments, Index first, Index begin,
                                         Index end, OutputVector<T> const& result) {
  constexpr int at_a_time = Segments::at_a_time * summation::segment<T>;
  bool const in_one_block = end - begin <= at_a_time;
  PerLine<T, Count> sums = {};
  PerLine<PairTree<T>, Count> tree;
  for (Index j = begin; j < end; j += at_a_time) {
    auto const length = static_cast<int>(Kokkos::min(Index{at_a_time}, end - j));
    segments.template all<Count>(first, j, length, sums);
    if (!in_one_block) {
      static_for<Count>([&](auto r) __attribute__((always_inline)) { tree[r()].push(sums[r()]); });
    }
  }
  for (int r = 0; r < Count; ++r) {
    result.set(r, in_one_block ? sums[r] + T(0) : tree[r].sum());
  }
}

template <int Count, int Most, class T, class Data, class Ask>
KOKKOS_INLINE_FUNCTION void dot_lines_by_packs(Lines<T, Data> const& lines, Index first, T const* x,
                                               Index begin, Index end, Ask const& next,
                                               OutputVector<T> const& result) {
  SegmentsByPacks<Most, T, Ask, Data> const segments{lines, x, next};
  if (end - begin > summation::segment<T>) {
    dot_lines_by<Count, T>(segments, first, begin, end, result);
    return;
  }
  PerLine<T, Count> sums = {};
  segments.template one<Count>(first, begin, static_cast<int>(end - begin), sums);
  for (int r = 0; r < Count; ++r) result.set(r, sums[r] + T(0));
}

/// Whether AVX-512 is faster: not with prefetched lines, nor for lines up to a segment from memory.
template <class T>
KOKKOS_INLINE_FUNCTION bool by_registers(Walk const& walk, Index length) {
  return walk.avx512 && walk.ahead == 0 && (walk.in_cache || length > summation::segment<T>);
}

/// Returns the first line left.
template <class T>
KOKKOS_INLINE_FUNCTION Index dot_at_once(Lines<T> const& lines, Index first, Index last, T const* x,
                                         Index begin, Index end, Walk const& walk,
                                         OutputVector<T> const& result) {
  namespace avx512 = backends::host::avx512;
  Index const length = end - begin;
  if constexpr (avx512::compiled) {
    if (by_registers<T>(walk, length) && length <= avx512::most_segments * summation::segment<T> &&
        result.data != nullptr) {
      Index const count = (last - first) / avx512::lines_of_dot * avx512::lines_of_dot;
      avx512::dot_lines(lines.line(first) + begin, lines.leading, count, x + begin,
                        static_cast<int>(length), result.data, result.stride);
      return first + count;
    }
  }
  return first;
}

template <int Count, class T>
KOKKOS_INLINE_FUNCTION void dot_lines(Lines<T> const& lines, Index first, T const* x, Index begin,
                                      Index end, Walk const& walk, OutputVector<T> const& result) {
  if (walk.ahead > 0) {
    Ahead<T> const next(lines, first, Count, begin, end, walk.ahead);
    dot_lines_by_packs<Count, 2>(lines, first, x, begin, end, next, result);
    return;
  }
  if constexpr (backends::host::avx512::compiled && Count >= backends::host::avx512::lines_of_dot) {
    if (dot_at_once(lines, first, first + Count, x, begin, end, walk, result) > first) return;
    if (by_registers<T>(walk, end - begin)) {
      dot_lines_by<Count, T>(SegmentsByRegisters<T>{lines, x}, first, begin, end, result);
      return;
    }
  }
  if (Count > 2 && walk.in_cache) {
    dot_lines_by_packs<Count, 4>(lines, first, x, begin, end, NothingAhead{}, result);
  } else {
    dot_lines_by_packs<Count, 2>(lines, first, x, begin, end, NothingAhead{}, result);
  }
}

template <int Count, class T, class Columns>
KOKKOS_INLINE_FUNCTION void dot_lines_of_block(Columns const& columns, Lines<T> const& lines,
                                               Index first, InputOf<T, Columns> const& x,
                                               Index begin, Index end, Walk const& walk,
                                               auto const& result) {
  if constexpr (Columns::most == 1) {
    dot_lines<Count>(lines, first, x, begin, end, walk, result(0));
  } else {
    constexpr Index some = Index{32 / Count} * summation::segment<T>;  // 32 KiB of lines
    static_assert(most_lines_per_step <= 32);
    Walk const near{.in_cache = true, .avx512 = walk.avx512};
    Ahead<T> const next(lines, first, Count, begin, end, walk.ahead);
    PerLine<PerLine<PairTree<T>, Count>, Columns::most> trees;
    for (Index j = begin; j < end; j += some) {
      Index const stop = Kokkos::min(end, j + some);
      for (int c = 0; c < columns.count(); ++c) {
        PerLine<T, Count> sums = {};
        OutputVector<T> const of_some{sums, 1};
        if (c == 0 && walk.ahead > 0) {
          dot_lines_by_packs<Count, 2>(lines, first, column_of(x, c), j, stop, next, of_some);
        } else {
          dot_lines<Count>(lines, first, column_of(x, c), j, stop, near, of_some);
        }
        for (int r = 0; r < Count; ++r) trees[c][r].push(sums[r]);
      }
    }
    for (int c = 0; c < columns.count(); ++c) {
      for (int r = 0; r < Count; ++r) result(c).set(r, trees[c][r].sum());
    }
  }
}

}  // namespace tessera::detail
