// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/simd.hpp>
#include <tessera/order/vector_stack.hpp>
#include <tessera/summation.hpp>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__)) && !defined(__CUDACC__) && \
    !defined(__HIPCC__)
#define TESSERA_WITH_AVX512
#include <immintrin.h>
#endif

/// Inner loops with AVX-512, whatever flags the rest is compiled with. They compute all lanes of
/// four lines at once, in the same order of summation.
namespace tessera::backends::host::avx512 {

using summation::Index;

template <class T>
inline constexpr int register_width = 64 / static_cast<int>(sizeof(T));
inline constexpr int lane_registers = 4;
inline constexpr int lines_of_dot = 4;
inline constexpr int most_segments = 32;
/// 24 registers for C, the rest for factors.
inline constexpr int block_rows = 12;
inline constexpr int block_registers = 2;

#ifdef TESSERA_WITH_AVX512

inline constexpr bool compiled = true;

inline bool supported() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}

inline bool available() {
  static bool const wanted = [] {
    char const* const choice = std::getenv("TESSERA_AVX512");
    return supported() && (choice == nullptr || std::string_view(choice) != "off");
  }();
  return wanted;
}

// No lambdas: they do not inherit the target attribute.
#define TESSERA_AVX512 [[gnu::target("avx512f,avx512dq")]]
#define TESSERA_AVX512_INLINE [[gnu::target("avx512f,avx512dq"), gnu::always_inline]] inline

TESSERA_AVX512_INLINE __m512 load(float const* from) {
  return _mm512_loadu_ps(from);
}
TESSERA_AVX512_INLINE __m512d load(double const* from) {
  return _mm512_loadu_pd(from);
}

/// Loads `count` elements, +0 behind them; reads no others.
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
TESSERA_AVX512_INLINE __m512 fma(__m512 a, __m512 b, __m512 c) {
  return _mm512_fmadd_ps(a, b, c);
}
TESSERA_AVX512_INLINE __m512d fma(__m512d a, __m512d b, __m512d c) {
  return _mm512_fmadd_pd(a, b, c);
}

/// Each quarter: a01 a23 b01 b23.
TESSERA_AVX512_INLINE __m512 sums_of_neighbours(__m512 a, __m512 b) {
  return _mm512_add_ps(_mm512_shuffle_ps(a, b, 0x88), _mm512_shuffle_ps(a, b, 0xdd));
}
/// Each quarter: a01 b01.
TESSERA_AVX512_INLINE __m512d sums_of_neighbours(__m512d a, __m512d b) {
  return _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
}
/// Quarters a01 a23 b01 b23.
TESSERA_AVX512_INLINE __m512 sums_of_quarters(__m512 a, __m512 b) {
  return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xdd));
}
TESSERA_AVX512_INLINE __m512d sums_of_quarters(__m512d a, __m512d b) {
  return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x88), _mm512_shuffle_f64x2(a, b, 0xdd));
}

/// Halves a01 b01.
TESSERA_AVX512_INLINE __m512d sums_of_halves(__m512d a, __m512d b) {
  return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x44), _mm512_shuffle_f64x2(a, b, 0xee));
}

/// Adds two levels of the tree: over each quarter's four elements (doubles: two quarters').
TESSERA_AVX512_INLINE __m512 tree_of_lanes(__m512 const (&lanes)[lane_registers]) {
  return sums_of_neighbours(sums_of_neighbours(lanes[0], lanes[1]),
                            sums_of_neighbours(lanes[2], lanes[3]));
}
TESSERA_AVX512_INLINE __m512d tree_of_lanes(__m512d const (&lanes)[lane_registers]) {
  return sums_of_quarters(sums_of_neighbours(lanes[0], lanes[1]),
                          sums_of_neighbours(lanes[2], lanes[3]));
}
/// Adds two levels for four lines. Floats: quarter r has four sums of line r, in order. Doubles:
/// each half has one sum of each line.
TESSERA_AVX512_INLINE __m512 side_by_side(__m512 const (&trees)[lines_of_dot]) {
  return sums_of_quarters(sums_of_quarters(trees[0], trees[1]),
                          sums_of_quarters(trees[2], trees[3]));
}
TESSERA_AVX512_INLINE __m512d side_by_side(__m512d const (&trees)[lines_of_dot]) {
  __m512d const lines = sums_of_neighbours(sums_of_quarters(trees[0], trees[2]),
                                           sums_of_quarters(trees[1], trees[3]));
  return _mm512_shuffle_f64x2(lines, lines, 0xd8);
}
TESSERA_AVX512_INLINE __m512 next_level(__m512 a, __m512 b) {
  return sums_of_neighbours(a, b);
}
TESSERA_AVX512_INLINE __m512d next_level(__m512d a, __m512d b) {
  return sums_of_halves(a, b);
}
/// Each register has the form of side_by_side.
template <class Register>
TESSERA_AVX512_INLINE Register tree_of_segments(Register* segment, int segments) {
  for (; segments > 1; segments = (segments + 1) / 2) {
    segment[segments] = Register{};
    for (int s = 0; s < (segments + 1) / 2; ++s) {
      segment[s] = next_level(segment[2 * s], segment[2 * s + 1]);
    }
  }
  return segment[0];
}
/// A -0 becomes +0.
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

TESSERA_AVX512_INLINE void store_sums(auto lines, auto* sums, Index stride) {
  if (stride == 1) return store_sums(lines, sums);
  std::remove_reference_t<decltype(*sums)> found[lines_of_dot];
  store_sums(lines, found);
  for (int r = 0; r < lines_of_dot; ++r) sums[r * stride] = found[r];
}

/// Lines up to a segment, in `Steps` steps of lanes: x is in registers, lines are read in order.
template <int Steps, class T>
TESSERA_AVX512 void dot_short_lines(T const* lines, Index leading, Index count, T const* x,
                                    int length, T* sums, Index stride) {
  constexpr int width = register_width<T>;
  constexpr int last = (Steps - 1) * lane_registers;
  using Register = decltype(load(x));
  Register factors[std::size_t{last + lane_registers}];
  int rest[lane_registers];
#pragma GCC unroll 16
  for (int p = 0; p < last; ++p) factors[p] = load(x + p * width);
#pragma GCC unroll 4
  for (int p = 0; p < lane_registers; ++p) {
    rest[p] = std::max(0, length - (last + p) * width);
    factors[last + p] = load_first(x + (last + p) * width, rest[p]);
  }
  for (Index i = 0; i < count; i += lines_of_dot) {
    Register trees[lines_of_dot];
#pragma GCC unroll 4
    for (int r = 0; r < lines_of_dot; ++r) {
      T const* const line = lines + (i + r) * leading;
      Register lanes[lane_registers] = {};
#pragma GCC unroll 4
      for (int k = 0; k < Steps; ++k) {
#pragma GCC unroll 4
        for (int p = 0; p < lane_registers; ++p) {
          int const j = k * lane_registers + p;
          Register const element =
              k < Steps - 1 ? load(line + j * width) : load_first(line + j * width, rest[p]);
          lanes[p] = fma(element, factors[j], lanes[p]);
        }
      }
      trees[r] = tree_of_lanes(lanes);
    }
    store_sums(side_by_side(trees), sums + i * stride, stride);
  }
}

/// sums[i · stride] = line i · x, for lines of 1 to most_segments segments.
template <class T>
TESSERA_AVX512 void dot_lines(T const* lines, Index leading, Index count, T const* x, int length,
                              T* sums, Index stride) {
  constexpr int together = lines_of_dot;
  constexpr int width = register_width<T>;
  constexpr int segment = summation::segment<T>;
  constexpr int lanes_of_step = summation::lanes<T>;
  static_assert(summation::lanes<T> == lane_registers * width);
  using Register = decltype(load(x));
  if (length <= segment) {
    switch ((length - 1) / lanes_of_step) {
      case 0:
        return dot_short_lines<1>(lines, leading, count, x, length, sums, stride);
      case 1:
        return dot_short_lines<2>(lines, leading, count, x, length, sums, stride);
      case 2:
        return dot_short_lines<3>(lines, leading, count, x, length, sums, stride);
      default:
        return dot_short_lines<4>(lines, leading, count, x, length, sums, stride);
    }
  }
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
    store_sums(tree_of_segments(waiting, segments), sums + i * stride, stride);
  }
}

inline constexpr std::size_t sum_registers = 4;

template <bool Masked, std::size_t Registers, class T, class Register>
TESSERA_AVX512_INLINE void load_columns(T const* from, int rest, Register (&columns)[Registers]) {
#pragma GCC unroll 16
  for (std::size_t c = 0; c < Registers; ++c) {
    T const* const place = from + c * std::size_t{register_width<T>};
    columns[c] = Masked ? load_first(place, rest) : load(place);
  }
}

template <bool Masked, std::size_t Registers, std::size_t Count, class T, class Register>
TESSERA_AVX512_INLINE void go_on(T const* lines, Index leading, Register const (&factors)[Count],
                                 int rest, Register (&sums)[Registers]) {
#pragma GCC unroll 8
  for (std::size_t r = 0; r < Count; ++r) {
    Register elements[Registers];
    load_columns<Masked>(lines + static_cast<Index>(r) * leading, rest, elements);
#pragma GCC unroll 16
    for (std::size_t c = 0; c < Registers; ++c) sums[c] = fma(factors[r], elements[c], sums[c]);
  }
}

template <bool Masked, std::size_t Registers, class T, class Register>
TESSERA_AVX512_INLINE void write(Register (&sums)[Registers], detail::Joined<T> const& joined,
                                 Index j, int rest) {
  for (int i = 0; i < joined.waiting; ++i) {
    Register subtree[Registers];
    load_columns<Masked>(joined.subtree(i) + j, rest, subtree);
#pragma GCC unroll 16
    for (std::size_t c = 0; c < Registers; ++c) sums[c] = add(subtree[c], sums[c]);
  }
#pragma GCC unroll 16
  for (std::size_t c = 0; c < Registers; ++c) {
    T* const place = joined.oldest + j + c * std::size_t{register_width<T>};
    Masked ? store_first(place, sums[c], rest) : store(place, sums[c]);
  }
}

template <std::size_t Panels, std::size_t Count, class T, class Register>
TESSERA_AVX512_INLINE void spread(T const* y, Register (&factors)[Panels][Count]) {
#pragma GCC unroll 2
  for (std::size_t p = 0; p < Panels; ++p) {
#pragma GCC unroll 8
    for (std::size_t r = 0; r < Count; ++r) factors[p][r] = all_of(y[p * Count + r]);
  }
}

template <bool Masked, std::size_t Registers, std::size_t Panels, std::size_t Count, class T,
          class Register>
TESSERA_AVX512_INLINE void add_columns(T const* lines, Index leading,
                                       Register const (&factors)[Panels][Count], T const* begun,
                                       detail::Joined<T> const& joined, Index j, int rest) {
  Register sums[Registers] = {};
  if (begun != nullptr) load_columns<Masked>(begun + j, rest, sums);
  go_on<Masked>(lines + j, leading, factors[0], rest, sums);
  if constexpr (Panels == 2) {
    Register second[Registers] = {};
    go_on<Masked>(lines + j + Index{Count} * leading, leading, factors[1], rest, second);
#pragma GCC unroll 16
    for (std::size_t c = 0; c < Registers; ++c) sums[c] = add(sums[c], second[c]);
  }
  write<Masked>(sums, joined, j, rest);
}

/// joined = the tree over `Panels` (1 or 2) chains of `Count` lines, y[r] * line_r[j]. The first
/// chain starts from begun[j], or +0 if null.
template <std::size_t Panels, std::size_t Count, class T>
TESSERA_AVX512_INLINE void add_chains(T const* lines, Index leading, T const* y, T const* begun,
                                      detail::Joined<T> const& joined, Index width) {
  constexpr Index one = register_width<T>;
  constexpr Index together = Index{sum_registers} * one;
  decltype(load(y)) factors[Panels][Count];
  spread(y, factors);
  Index j = 0;
  for (; j + together <= width; j += together) {
    add_columns<false, sum_registers>(lines, leading, factors, begun, joined, j, 0);
  }
  for (; j < width; j += one) {
    auto const rest = static_cast<int>(width - j < one ? width - j : one);
    add_columns<true, 1>(lines, leading, factors, begun, joined, j, rest);
  }
}

template <int Count, class T>
TESSERA_AVX512 void add_lines(T const* lines, Index leading, T const* y, T const* begun,
                              detail::Joined<T> joined, Index width) {
  add_chains<1, std::size_t{Count}>(lines, leading, y, begun, joined, width);
}

/// Adds line i times y[i]. `Panels` (1 or 2) panels of min_panel_lines lines make each of `groups`
/// vectors.
template <int Panels, class T>
TESSERA_AVX512 void add_panels(T const* lines, Index leading, Index groups, T const* y,
                               detail::VectorStack<T> stack, Index width) {
  constexpr Index lines_of_group = Panels * summation::min_panel_lines;
  for (Index g = 0; g < groups; ++g, lines += lines_of_group * leading, y += lines_of_group) {
    add_chains<std::size_t{Panels}, std::size_t{summation::min_panel_lines}>(
        lines, leading, y, static_cast<T const*>(nullptr), stack.joined(g), width);
  }
}

/// joined = the chain of y[r] * line_r[j], in registers. Lines are read in order.
template <std::size_t Registers, class T>
TESSERA_AVX512 void add_lines_of(T const* lines, Index leading, Index count, T const* y,
                                 detail::Joined<T> const& joined) {
  using Register = decltype(load(y));
  Register sums[Registers] = {};
  for (Index r = 0; r < count; ++r) {
    Register const factor[] = {all_of(y[r])};
    go_on<false>(lines + r * leading, leading, factor, 0, sums);
  }
  write<false>(sums, joined, 0, 0);
}

template <std::size_t Most = 16, class T>
bool add_short_lines(T const* lines, Index leading, Index count, T const* y,
                     detail::Joined<T> const& joined, Index width) {
  if constexpr (Most > 0) {
    if (width != Index{Most} * register_width<T>) {
      return add_short_lines<Most - 1>(lines, leading, count, y, joined, width);
    }
    add_lines_of<Most>(lines, leading, count, y, joined);
  }
  return Most > 0;
}

/// `fresh`: starts from +0. `last`: adds 0 at the end. Factors: (depth, block_rows), (depth,
/// columns).
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

template <int Count, class T>
void add_lines(T const* lines, Index leading, T const* y, T const* begun, detail::Joined<T> joined,
               Index width);

template <int Panels, class T>
void add_panels(T const* lines, Index leading, Index groups, T const* y,
                detail::VectorStack<T> stack, Index width);

template <class T>
bool add_short_lines(T const* lines, Index leading, Index count, T const* y,
                     detail::Joined<T> const& joined, Index width);

template <class T>
void add_block(T const* a, T const* b, Index depth, T* c, Index leading, bool fresh, bool last);

#endif

}  // namespace tessera::backends::host::avx512
