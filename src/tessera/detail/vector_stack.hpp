// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/avx512.hpp>
#include <tessera/detail/ahead.hpp>
#include <tessera/detail/lines.hpp>
#include <tessera/detail/static_for.hpp>

/// Sums over lines in the canonical order, for one thread that owns all columns it was given.
namespace tessera::detail {

/// Columns handled between two visits of the same line: what is being added stays in the fastest
/// cache, or, where other lines are asked for meanwhile, memory is not asked for too much at a
/// time. Fused ATAX over two OpenBLAS gemv, 2 threads of Zen 5, with 1 | 2 | 4 | 16 KiB asked for
/// at a time: 16384 x 16384 1.82 1.69 1.65 1.66; 65536 x 4096 1.78 1.79 1.70 1.63,
/// double 1.73 1.59 1.57 1.48; 262144 x 1024 1.96 1.97 1.96 1.95; 4096 x 65536 1.82 1.80 1.79 1.67.
template <class T>
KOKKOS_INLINE_FUNCTION Index columns_per_chunk(NextStep<T> const& next) {
  return next.limit > 0 ? 1024 / static_cast<Index>(sizeof(T)) : 4096;
}

/// sums[j] = chain over `Count` lines from line `first` of y[r] * line_r[j], j in [begin, end); the
/// chain starts from +0 if `Fresh`, else from sums[j]. Or, if `Merge`, below[j] += that chain: a
/// subtree is complete, and sums are left as they are. Both have the columns from `begin` on.
template <int Count, bool Fresh, bool Merge, class T>
KOKKOS_INLINE_FUNCTION void add_lines(Lines<T> const& lines, Index first,
                                      PerLine<T, Count> const& y, T* KOKKOS_RESTRICT sums,
                                      T* KOKKOS_RESTRICT below, Index begin, Index end) {
  Index const width = end - begin;
  if constexpr (backends::host::avx512::compiled) {
    if (backends::host::avx512::available()) {
      backends::host::avx512::add_lines<Count, Fresh, Merge>(lines.line(first) + begin,
                                                             lines.leading, y, sums, below, width);
      return;
    }
  }
  PerLine<T const * KOKKOS_RESTRICT, Count> line;
  for (int r = 0; r < Count; ++r) line[r] = lines.line(first + r) + begin;
  for (Index j = 0; j < width; ++j) {
    T sum = Fresh ? T(0) : sums[j];
    static_for<Count>([&](auto r) __attribute__((always_inline)) {
      sum = Kokkos::fma(y[r()], line[r()][j], sum);
    });
    if constexpr (Merge) {
      below[j] += sum;
    } else {
      sums[j] = sum;
    }
  }
}

/// a[j] += b[j] for j in [0, width).
template <class T>
KOKKOS_INLINE_FUNCTION void add_vector(T* KOKKOS_RESTRICT a, T const* KOKKOS_RESTRICT b,
                                       Index width) {
  for (Index j = 0; j < width; ++j) a[j] += b[j];
}

/// The adjacent-pair tree over vectors that arrive in order: a binary counter of finished subtrees.
/// Level 0 is where the result will be; the other levels are scratch.
template <class T>
struct VectorStack {
  T* bottom;    // (pitch)
  T* above;     // (levels - 1, pitch)
  Index pitch;  // distance between levels

  KOKKOS_INLINE_FUNCTION T* level(int l) const { return l == 0 ? bottom : above + (l - 1) * pitch; }
  /// Where vector number `index` is to be written.
  KOKKOS_INLINE_FUNCTION static int level_of(Index index) {
    return Kokkos::popcount(static_cast<std::uint64_t>(index));
  }
  /// After vector number `index` was written: merges the subtrees that it completes, in columns
  /// [begin, end).
  KOKKOS_INLINE_FUNCTION void merge(Index index, Index begin, Index end) const {
    int l = level_of(index);
    for (; (index & 1) != 0; index >>= 1, --l) {
      add_vector(level(l - 1) + begin, level(l) + begin, end - begin);
    }
  }
  /// After the last of `count` vectors: merges what is left into level 0.
  KOKKOS_INLINE_FUNCTION void finish(Index count, Index begin, Index end) const {
    for (int l = level_of(count) - 1; l > 0; --l) {
      add_vector(level(l - 1) + begin, level(l) + begin, end - begin);
    }
  }
  /// Levels beside level 0 that a stack for `count` vectors needs.
  static constexpr Index levels_above(Index count) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count))) - 1;
  }
};

/// Calls body(StaticInt<N>, first_of_block) for consecutive blocks of N = `step` lines of
/// [first, last), and of the smaller powers of two for what remains; `step` is a power of two up to
/// `Most`.
template <int Most, class Body>
KOKKOS_INLINE_FUNCTION void for_line_blocks(int step, Index first, Index last, Body const& body) {
  if (step >= Most) {
    for (; first + Most <= last; first += Most) body(StaticInt<Most>{}, first);
  }
  if constexpr (Most > 1) {
    if (first < last) for_line_blocks<Most / 2>(step, first, last, body);
  }
}

/// The most lines side by side that a tuning can ask for.
inline constexpr int most_lines_per_step = 8;

/// Adds lines [block, block + Count) to the panel [first, last) that is number `index` of its
/// stack, in columns [begin, end); with the panel's last lines, merges the subtrees that it
/// completes. Asks `next` for as many lines meanwhile.
template <int Count, class T>
KOKKOS_INLINE_FUNCTION void add_to_panel(NextStep<T> const& next, Lines<T> const& lines,
                                         Index block, Index first, Index last,
                                         PerLine<T, Count> const& y, VectorStack<T> const& stack,
                                         Index index, Index begin, Index end) {
  Index const chunk = columns_per_chunk(next);
  int const level = VectorStack<T>::level_of(index);
  T* const sums = stack.level(level);
  // The first merge has no pass of its own. Aᵀ·b over OpenBLAS, 2 threads of Zen 4, with such a
  // pass | without: 1000 x 1000 0.99 1.03, double 1.09 1.16; 400 x 4000 0.74 0.79, double
  // 0.93 1.00; 128 x 16384 0.78 0.85; 1400 x 1400 0.90 0.94; without AVX-512, 1000 x
  // 1000 1.02 1.06, double 1.08 1.16.
  bool const merges = block + Count == last && (index & 1) != 0;
  T* const below = stack.level(merges ? level - 1 : level);
  auto const add = [&](auto fresh, auto merge, Index j, Index chunk_end) {
    add_lines<Count, fresh() != 0, merge() != 0>(lines, block, y, sums + (j - begin),
                                                 below + (j - begin), j, chunk_end);
  };
  for (Index j = begin; j < end; j += chunk) {
    Index const chunk_end = j + chunk < end ? j + chunk : end;
    for (int r = 0; r < Count; ++r) next.fetch(r, j, chunk_end - j);
    if (block == first) {
      merges ? add(StaticInt<1>{}, StaticInt<1>{}, j, chunk_end)
             : add(StaticInt<1>{}, StaticInt<0>{}, j, chunk_end);
    } else {
      merges ? add(StaticInt<0>{}, StaticInt<1>{}, j, chunk_end)
             : add(StaticInt<0>{}, StaticInt<0>{}, j, chunk_end);
    }
    if (merges) stack.merge(index >> 1, j - begin, chunk_end - begin);
  }
}

}  // namespace tessera::detail
