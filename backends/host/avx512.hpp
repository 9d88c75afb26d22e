// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string_view>

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/simd.hpp>
#include <tessera/summation.hpp>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__)) && !defined(__CUDACC__) && \
    !defined(__HIPCC__)
#define TESSERA_WITH_AVX512
#include <immintrin.h>
#endif

/// The inner loops of hosts for processors with AVX-512, whatever the rest of the program is
/// compiled for: twice as many lanes an instruction and twice as many registers, so that four lines
/// go side by side with all of their lanes, strictly forward. The order of summation is the same.
namespace tessera::backends::host::avx512 {

using summation::Index;

/// Scalars of a register.
template <class T>
inline constexpr int register_width = 64 / static_cast<int>(sizeof(T));
/// Registers of a segment's lanes.
inline constexpr int lane_registers = 4;
/// Lines whose dot products go side by side, and the most segments that they may have.
inline constexpr int lines_of_dot = 4;
inline constexpr int most_segments = 32;
/// Panels of a sum over lines whose tree stays in registers.
inline constexpr int panels_at_once = 4;
/// Lines and registers of a line of a matrix product's block: 24 registers, and those of factors.
inline constexpr int block_rows = 12;
inline constexpr int block_registers = 2;

#ifdef TESSERA_WITH_AVX512

/// Whether the compiler knows them.
inline constexpr bool compiled = true;

/// Whether this machine's processor has the instructions, and its system keeps the registers.
inline bool supported() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}

/// Whether they are to be used: supported, and TESSERA_AVX512=off was not in the environment of the
/// first call.
inline bool available() {
  static bool const wanted = [] {
    char const* const choice = std::getenv("TESSERA_AVX512");
    return supported() && (choice == nullptr || std::string_view(choice) != "off");
  }();
  return wanted;
}

// A lambda has no target of its own, so that what follows is made of loops.
#define TESSERA_AVX512 [[gnu::target("avx512f,avx512dq")]]
#define TESSERA_AVX512_INLINE [[gnu::target("avx512f,avx512dq"), gnu::always_inline]] inline

TESSERA_AVX512_INLINE __m512 load(float const* from) {
  return _mm512_loadu_ps(from);
}
TESSERA_AVX512_INLINE __m512d load(double const* from) {
  return _mm512_loadu_pd(from);
}

/// The first of so many elements that a register has room for, and zeros behind them; reads no
/// more.
TESSERA_AVX512_INLINE __m512 load_first(float const* from, int count) {
  auto const mask = static_cast<__mmask16>(count >= 16 ? 0xffff : (1 << count) - 1);
  return _mm512_maskz_loadu_ps(mask, from);
}
TESSERA_AVX512_INLINE __m512d load_first(double const* from, int count) {
  auto const mask = static_cast<__mmask8>(count >= 8 ? 0xff : (1 << count) - 1);
  return _mm512_maskz_loadu_pd(mask, from);
}

TESSERA_AVX512_INLINE void store(float* to, __m512 value) {
  _mm512_storeu_ps(to, value);
}
TESSERA_AVX512_INLINE void store(double* to, __m512d value) {
  _mm512_storeu_pd(to, value);
}
TESSERA_AVX512_INLINE void store_first(float* to, __m512 value, int count) {
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1 << count) - 1), value);
}
TESSERA_AVX512_INLINE void store_first(double* to, __m512d value, int count) {
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1 << count) - 1), value);
}

TESSERA_AVX512_INLINE __m512 all_of(float value) {
  return _mm512_set1_ps(value);
}
TESSERA_AVX512_INLINE __m512d all_of(double value) {
  return _mm512_set1_pd(value);
}
TESSERA_AVX512_INLINE __m512 multiply(__m512 a, __m512 b) {
  return _mm512_mul_ps(a, b);
}
TESSERA_AVX512_INLINE __m512d multiply(__m512d a, __m512d b) {
  return _mm512_mul_pd(a, b);
}
TESSERA_AVX512_INLINE __m512 add(__m512 a, __m512 b) {
  return _mm512_add_ps(a, b);
}
TESSERA_AVX512_INLINE __m512d add(__m512d a, __m512d b) {
  return _mm512_add_pd(a, b);
}
/// a * b + c, one rounding an element.
TESSERA_AVX512_INLINE __m512 fma(__m512 a, __m512 b, __m512 c) {
  return _mm512_fmadd_ps(a, b, c);
}
TESSERA_AVX512_INLINE __m512d fma(__m512d a, __m512d b, __m512d c) {
  return _mm512_fmadd_pd(a, b, c);
}

/// Sums of neighbours within each quarter: a01 a23 b01 b23.
TESSERA_AVX512_INLINE __m512 sums_of_neighbours(__m512 a, __m512 b) {
  return _mm512_add_ps(_mm512_shuffle_ps(a, b, 0x88), _mm512_shuffle_ps(a, b, 0xdd));
}
/// a01 b01.
TESSERA_AVX512_INLINE __m512d sums_of_neighbours(__m512d a, __m512d b) {
  return _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
}
/// Sums of neighbouring quarters: a01 a23 b01 b23.
TESSERA_AVX512_INLINE __m512 sums_of_quarters(__m512 a, __m512 b) {
  return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
}
TESSERA_AVX512_INLINE __m512d sums_of_quarters(__m512d a, __m512d b) {
  return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x88), _mm512_shuffle_f64x2(a, b, 0xdd));
}

/// Sums of neighbouring halves: a01 b01.
TESSERA_AVX512_INLINE __m512d sums_of_halves(__m512d a, __m512d b) {
  return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x44), _mm512_shuffle_f64x2(a, b, 0xee));
}

/// The first two levels of the tree over a segment's lanes: over four elements a quarter has
/// (doubles: two levels over four of two quarters).
TESSERA_AVX512_INLINE __m512 tree_of_lanes(__m512 const (&lanes)[lane_registers]) {
  return sums_of_neighbours(sums_of_neighbours(lanes[0], lanes[1]),
                            sums_of_neighbours(lanes[2], lanes[3]));
}
TESSERA_AVX512_INLINE __m512d tree_of_lanes(__m512d const (&lanes)[lane_registers]) {
  return sums_of_quarters(sums_of_neighbours(lanes[0], lanes[1]),
                          sums_of_neighbours(lanes[2], lanes[3]));
}
/// Two levels more, of four lines, side by side: of floats, quarter r has four of line r, in order;
/// of doubles, each half has one of each line.
TESSERA_AVX512_INLINE __m512 side_by_side(__m512 const (&trees)[lines_of_dot]) {
  return sums_of_quarters(sums_of_quarters(trees[0], trees[1]),
                          sums_of_quarters(trees[2], trees[3]));
}
TESSERA_AVX512_INLINE __m512d side_by_side(__m512d const (&trees)[lines_of_dot]) {
  __m512d const lines = sums_of_neighbours(sums_of_quarters(trees[0], trees[2]),
                                           sums_of_quarters(trees[1], trees[3]));
  return _mm512_shuffle_f64x2(lines, lines, 0xd8);
}
/// The next level of four lines' trees over what is in a, and then in b.
TESSERA_AVX512_INLINE __m512 next_level(__m512 a, __m512 b) {
  return sums_of_neighbours(a, b);
}
TESSERA_AVX512_INLINE __m512d next_level(__m512d a, __m512d b) {
  return sums_of_halves(a, b);
}
/// The tree over `segments` >= 1 segments of four lines, as side_by_side and next_level have them.
template <class Register>
TESSERA_AVX512_INLINE Register tree_of_segments(Register* segment, int segments) {
  for (; segments > 1; segments = (segments + 1) / 2) {
    segment[segments] = Register{};  // for the last one, where their number is odd
    for (int s = 0; s < (segments + 1) / 2; ++s) {
      segment[s] = next_level(segment[2 * s], segment[2 * s + 1]);
    }
  }
  return segment[0];
}
/// The last levels: one sum a line. A -0 becomes +0.
TESSERA_AVX512_INLINE void store_sums(__m512 lines, float* sums) {
  lines = sums_of_neighbours(lines, lines);
  lines = add(sums_of_neighbours(lines, lines), __m512{});
  __m512i const first_of_quarters =
      _mm512_setr_epi32(0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  _mm_storeu_ps(sums, _mm512_castps512_ps128(_mm512_permutexvar_ps(first_of_quarters, lines)));
}
TESSERA_AVX512_INLINE void store_sums(__m512d lines, double* sums) {
  lines = add(sums_of_halves(lines, lines), __m512d{});
  _mm256_storeu_pd(sums, _mm512_castpd512_pd256(lines));
}

/// sums[i · stride] = dot product of the first `length` elements of line i and of x, for `count`
/// lines, `leading` apart, lines_of_dot of them at a time. They have 1 to most_segments segments.
template <class T>
TESSERA_AVX512 void dot_lines(T const* lines, Index leading, Index count, T const* x, int length,
                              T* sums, Index stride) {
  constexpr int together = lines_of_dot;
  constexpr int width = register_width<T>;
  constexpr int segment = summation::segment<T>;
  constexpr int lanes_of_step = summation::lanes<T>;
  static_assert(summation::lanes<T> == lane_registers * width);
  using Register = decltype(load(x));
  for (Index i = 0; i < count; i += together) {
    T const* line[together];
#pragma GCC unroll 4
    for (int r = 0; r < together; ++r) line[r] = lines + (i + r) * leading;
    Register waiting[most_segments + 1];
    int segments = 0;
    int begin = 0;
    do {
      Register lanes[together][lane_registers];
      if (begin + segment <= length) {
#pragma GCC unroll 4
        for (int k = 0; k < summation::chain_steps; ++k) {
#pragma GCC unroll 4
          for (int p = 0; p < lane_registers; ++p) {
            int const j = begin + (k * lane_registers + p) * width;
            Register const factor = load(x + j);
#pragma GCC unroll 4
            for (int r = 0; r < together; ++r) {
              Register const element = load(line[r] + j);
              lanes[r][p] = k == 0 ? multiply(element, factor) : fma(element, factor, lanes[r][p]);
            }
          }
        }
      } else {
#pragma GCC unroll 4
        for (int r = 0; r < together; ++r) {
#pragma GCC unroll 4
          for (int p = 0; p < lane_registers; ++p) lanes[r][p] = Register{};
        }
        int j = begin;
        for (; j + lanes_of_step <= length; j += lanes_of_step) {
#pragma GCC unroll 4
          for (int p = 0; p < lane_registers; ++p) {
            Register const factor = load(x + j + p * width);
#pragma GCC unroll 4
            for (int r = 0; r < together; ++r) {
              lanes[r][p] = fma(load(line[r] + j + p * width), factor, lanes[r][p]);
            }
          }
        }
#pragma GCC unroll 4
        for (int p = 0; p < lane_registers; ++p) {
          int const rest = length - j - p * width;
          if (rest <= 0) break;
          Register const factor = load_first(x + j + p * width, rest);
#pragma GCC unroll 4
          for (int r = 0; r < together; ++r) {
            lanes[r][p] = fma(load_first(line[r] + j + p * width, rest), factor, lanes[r][p]);
          }
        }
      }
      Register trees[together];
#pragma GCC unroll 4
      for (int r = 0; r < together; ++r) trees[r] = tree_of_lanes(lanes[r]);
      waiting[segments] = side_by_side(trees);
      ++segments;
      begin += segment;
    } while (begin < length);
    Register const all = tree_of_segments(waiting, segments);
    if (stride == 1) {
      store_sums(all, sums + i);
    } else {
      T found[together];
      store_sums(all, found);
      for (int r = 0; r < together; ++r) sums[(i + r) * stride] = found[r];
    }
  }
}

/// sums[j] = chain over `Count` lines, `leading` apart, of y[r] * line_r[j], j in [0, width); it
/// starts from +0 if `Fresh`, else from sums[j]. Or, if `Merge`, below[j] += that chain.
template <int Count, bool Fresh, bool Merge, class T>
TESSERA_AVX512 void add_lines(T const* lines, Index leading, T const* y, T* KOKKOS_RESTRICT sums,
                              T* KOKKOS_RESTRICT below, Index width) {
  constexpr Index at_a_time = register_width<T>;
  using Register = decltype(load(sums));
  T const* line[std::size_t{Count}];
  Register factor[std::size_t{Count}];
#pragma GCC unroll 8
  for (int r = 0; r < Count; ++r) {
    line[r] = lines + r * leading;
    factor[r] = all_of(y[r]);
  }
  T* const result = Merge ? below : sums;
  Index j = 0;
  for (; j + at_a_time <= width; j += at_a_time) {
    Register sum = Fresh ? all_of(T(0)) : load(sums + j);
#pragma GCC unroll 8
    for (int r = 0; r < Count; ++r) sum = fma(factor[r], load(line[r] + j), sum);
    store(result + j, Merge ? add(load(below + j), sum) : sum);
  }
  if (j < width) {
    auto const rest = static_cast<int>(width - j);
    Register sum = Fresh ? all_of(T(0)) : load_first(sums + j, rest);
#pragma GCC unroll 8
    for (int r = 0; r < Count; ++r) sum = fma(factor[r], load_first(line[r] + j, rest), sum);
    store_first(result + j, Merge ? add(load_first(below + j, rest), sum) : sum, rest);
  }
}

/// The tree over `Panels` panels of lines that are `leading` apart, line i times y[i], in as many
/// registers of columns; of the first `rest` columns of one register, if `Masked`.
template <int Panels, bool Masked, std::size_t Registers, class T, class Register>
TESSERA_AVX512_INLINE void tree_of_panels(T const* lines, Index leading, T const* y, int rest,
                                          Register (&sums)[Registers]) {
  constexpr Index lines_of_panel = summation::min_panel_lines;
  if constexpr (Panels == 1) {
#pragma GCC unroll 8
    for (std::size_t c = 0; c < Registers; ++c) sums[c] = Register{};
#pragma GCC unroll 8
    for (Index r = 0; r < lines_of_panel; ++r) {
      Register const factor = all_of(y[r]);
#pragma GCC unroll 8
      for (std::size_t c = 0; c < Registers; ++c) {
        T const* const from = lines + r * leading + c * std::size_t{register_width<T>};
        sums[c] = fma(factor, Masked ? load_first(from, rest) : load(from), sums[c]);
      }
    }
  } else {
    constexpr Index half = Panels / 2 * lines_of_panel;
    Register second[Registers];
    tree_of_panels<Panels / 2, Masked>(lines, leading, y, rest, sums);
    tree_of_panels<Panels / 2, Masked>(lines + half * leading, leading, y + half, rest, second);
#pragma GCC unroll 8
    for (std::size_t c = 0; c < Registers; ++c) sums[c] = add(sums[c], second[c]);
  }
}

/// sums[j], if `Merge` with what it has been, = the tree over panels_at_once panels of
/// summation::min_panel_lines lines, `leading` apart, line i times y[i], j in [0, width).
template <bool Merge, class T>
TESSERA_AVX512 void add_panels(T const* lines, Index leading, T const* y, T* sums, Index width) {
  constexpr std::size_t registers = 4;
  constexpr Index at_a_time = register_width<T>;
  using Register = decltype(load(sums));
  Index j = 0;
  for (; j + Index{registers} * at_a_time <= width; j += Index{registers} * at_a_time) {
    Register sum[registers];
    tree_of_panels<panels_at_once, false>(lines + j, leading, y, 0, sum);
#pragma GCC unroll 8
    for (std::size_t c = 0; c < registers; ++c) {
      T* const to = sums + j + c * std::size_t{register_width<T>};
      store(to, Merge ? add(load(to), sum[c]) : sum[c]);
    }
  }
  for (; j < width; j += at_a_time) {
    int const rest = static_cast<int>(width - j < at_a_time ? width - j : at_a_time);
    Register sum[1];
    tree_of_panels<panels_at_once, true>(lines + j, leading, y, rest, sum);
    if (Merge) sum[0] = add(load_first(sums + j, rest), sum[0]);
    store_first(sums + j, sum[0], rest);
  }
}

/// sums[j] = chain over `count` lines, `leading` apart, of y[r] * line_r[j], for the columns of
/// `Registers` registers, which hold the sums: lines are read in the order in which they lie.
template <std::size_t Registers, class T>
TESSERA_AVX512 void add_lines_of(T const* lines, Index leading, Index count, T const* y, T* sums) {
  constexpr std::size_t at_a_time = register_width<T>;
  decltype(load(sums)) sum[Registers];
#pragma GCC unroll 16
  for (std::size_t c = 0; c < Registers; ++c) sum[c] = all_of(T(0));
  for (Index r = 0; r < count; ++r) {
    auto const factor = all_of(y[r]);
    T const* const line = lines + r * leading;
#pragma GCC unroll 16
    for (std::size_t c = 0; c < Registers; ++c) {
      sum[c] = fma(factor, load(line + c * at_a_time), sum[c]);
    }
  }
#pragma GCC unroll 16
  for (std::size_t c = 0; c < Registers; ++c) store(sums + c * at_a_time, sum[c]);
}

/// The same for lines of `width` columns, where they fill 1 to `Most` registers; whether they do.
template <std::size_t Most = 16, class T>
bool add_short_lines(T const* lines, Index leading, Index count, T const* y, T* sums, Index width) {
  if constexpr (Most > 0) {
    if (width != Index{Most} * register_width<T>) {
      return add_short_lines<Most - 1>(lines, leading, count, y, sums, width);
    }
    add_lines_of<Most>(lines, leading, count, y, sums);
  }
  return Most > 0;
}

/// Goes on with the chains of a block of C, block_rows lines that are `leading` apart of
/// block_registers registers: from +0 if `fresh`; + 0 to what is the result, if `last`. The factors
/// are (depth, block_rows) and (depth, elements of a line).
template <class T>
TESSERA_AVX512 void add_block(T const* a, T const* b, Index depth, T* c, Index leading, bool fresh,
                              bool last) {
  constexpr int width = register_width<T>;
  using Register = decltype(load(a));
  Register rC[block_rows][block_registers];
#pragma GCC unroll 16
  for (int i = 0; i < block_rows; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < block_registers; ++j) {
      rC[i][j] = fresh ? all_of(T(0)) : load(c + i * leading + j * width);
    }
  }
  for (Index k = 0; k < depth; ++k, a += block_rows, b += block_registers * width) {
    Register rB[block_registers];
#pragma GCC unroll 2
    for (int j = 0; j < block_registers; ++j) rB[j] = load(b + j * width);
#pragma GCC unroll 16
    for (int i = 0; i < block_rows; ++i) {
      Register const rA = all_of(a[i]);
#pragma GCC unroll 2
      for (int j = 0; j < block_registers; ++j) rC[i][j] = fma(rA, rB[j], rC[i][j]);
    }
  }
  Register const zero = all_of(T(0));
#pragma GCC unroll 16
  for (int i = 0; i < block_rows; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < block_registers; ++j) {
      store(c + i * leading + j * width, last ? add(rC[i][j], zero) : rC[i][j]);
    }
  }
}

#undef TESSERA_AVX512
#undef TESSERA_AVX512_INLINE

#else

inline constexpr bool compiled = false;

inline bool supported() {
  return false;
}

inline bool available() {
  return false;
}

template <class T>
void dot_lines(T const* lines, Index leading, Index count, T const* x, int length, T* sums,
               Index stride);

template <int Count, bool Fresh, bool Merge, class T>
void add_lines(T const* lines, Index leading, T const* y, T* sums, T* below, Index width);

template <bool Merge, class T>
void add_panels(T const* lines, Index leading, T const* y, T* sums, Index width);

template <class T>
bool add_short_lines(T const* lines, Index leading, Index count, T const* y, T* sums, Index width);

template <class T>
void add_block(T const* a, T const* b, Index depth, T* c, Index leading, bool fresh, bool last);

#endif

}  // namespace tessera::backends::host::avx512
