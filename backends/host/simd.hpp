// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>

#include <tessera/order/static_for.hpp>

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Packs of 32 bytes, two halves of AVX2 or NEON size: vector extensions, or arrays with the same
/// bits if the compiler lacks them (nvcc) or warns about the ABI (x86 without AVX).
namespace tessera::backends::host {

template <class T>
inline constexpr int pack_width = 32 / static_cast<int>(sizeof(T));

#if (defined(__GNUC__) || defined(__clang__)) && !defined(__CUDACC__) && !defined(__HIPCC__)

using Bytes [[gnu::vector_size(16)]] = unsigned char;
using BytesAnywhere [[gnu::vector_size(16), gnu::aligned(1), gnu::may_alias]] = unsigned char;
using TwoBytes [[gnu::vector_size(32)]] = unsigned char;
using TwoBytesAnywhere [[gnu::vector_size(32), gnu::aligned(1), gnu::may_alias]] = unsigned char;

// By reference: compilers warn about vectors by value without AVX.
template <int... P>
KOKKOS_FORCEINLINE_FUNCTION void put_side_by_side(TwoBytes& result, Bytes const& a, Bytes const& b,
                                                  std::integer_sequence<int, P...>) {
  result = __builtin_shufflevector(a, b, P...);
}

/// In each half, interleaves the first (Half 0) or second eight bytes of a and b.
template <int Size, int Half, int... P>
KOKKOS_FORCEINLINE_FUNCTION void interleave(TwoBytes& result, TwoBytes const& a, TwoBytes const& b,
                                            std::integer_sequence<int, P...>) {
  result = __builtin_shufflevector(a, b,
                                   (P / 16 * 16 + 8 * Half + P % 16 / Size / 2 * Size + P % Size +
                                    (P / Size % 2 == 0 ? 0 : 32))...);
}

KOKKOS_FORCEINLINE_FUNCTION void end_of_stream() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

KOKKOS_FORCEINLINE_FUNCTION void prefetch(void const* place) {
  __builtin_prefetch(place);
}

KOKKOS_FORCEINLINE_FUNCTION void copy_line(unsigned char const* from, unsigned char* to) {
  TwoBytes const low = *reinterpret_cast<TwoBytesAnywhere const*>(from);
  TwoBytes const high = *reinterpret_cast<TwoBytesAnywhere const*>(from + 32);
  *reinterpret_cast<TwoBytesAnywhere*>(to) = low;
  *reinterpret_cast<TwoBytesAnywhere*>(to + 32) = high;
}

template <bool Stream>
KOKKOS_FORCEINLINE_FUNCTION void write_bytes(TwoBytes const& bytes, unsigned char* to) {
#if defined(__AVX__)
  if constexpr (Stream) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), std::bit_cast<__m256i>(bytes));
    return;
  }
#elif defined(__SSE2__)
  if constexpr (Stream) {
    struct Halves {
      __m128i half[2];
    };
    auto const halves = std::bit_cast<Halves>(bytes);
    _mm_stream_si128(reinterpret_cast<__m128i*>(to), halves.half[0]);
    _mm_stream_si128(reinterpret_cast<__m128i*>(to) + 1, halves.half[1]);
    return;
  }
#endif
  *reinterpret_cast<TwoBytesAnywhere*>(to) = bytes;
}

/// Transposes 64 / Size lines of 32 bytes to 32 / Size lines of 64 bytes: whole cache lines, if
/// aligned.
template <int Size, bool Stream>
KOKKOS_FORCEINLINE_FUNCTION void transpose_block(unsigned char const* from,
                                                 std::ptrdiff_t from_line, unsigned char* to,
                                                 std::ptrdiff_t to_line) {
  constexpr int lines = 16 / Size;
  constexpr std::make_integer_sequence<int, 32> places;
  constexpr int steps = static_cast<int>(std::bit_width(static_cast<unsigned>(lines))) - 1;
  // A quarter is 16 bytes of each line; halves are joined from the start.
  auto const turn = [&](unsigned char const* first, auto& block) {
    detail::static_for<lines>([&](auto i) {
      auto const bytes = [&](int line) -> Bytes {
        return *reinterpret_cast<BytesAnywhere const*>(first + line * from_line);
      };
      put_side_by_side(block[0][i()], bytes(i()), bytes(i() + lines), places);
    });
    detail::static_for<steps>([&](auto step) {
      detail::static_for<lines / 2>([&](auto i) {
        TwoBytes const& low = block[step()][i()];
        TwoBytes const& high = block[step()][i() + lines / 2];
        interleave<Size, 0>(block[step() + 1][2 * i()], low, high, places);
        interleave<Size, 1>(block[step() + 1][2 * i() + 1], low, high, places);
      });
    });
  };
  for (int half = 0; half < 2; ++half) {
    TwoBytes block[2][static_cast<std::size_t>(steps + 1)][static_cast<std::size_t>(lines)];
    unsigned char const* const first = from + half * 16;
    unsigned char* const target = to + half * lines * to_line;
    turn(first, block[0]);
    turn(first + 2 * lines * from_line, block[1]);
    detail::static_for<lines>([&](auto i) {
      write_bytes<Stream>(block[0][steps][i()], target + i() * to_line);
      write_bytes<Stream>(block[1][steps][i()], target + i() * to_line + 32);
    });
  }
}

#else

KOKKOS_FORCEINLINE_FUNCTION void end_of_stream() {}

KOKKOS_FORCEINLINE_FUNCTION void prefetch(void const*) {}

KOKKOS_FORCEINLINE_FUNCTION void copy_line(unsigned char const* from, unsigned char* to) {
  for (int k = 0; k < 64; ++k) to[k] = from[k];
}

template <int Size, bool Stream>
KOKKOS_FORCEINLINE_FUNCTION void transpose_block(unsigned char const* from,
                                                 std::ptrdiff_t from_line, unsigned char* to,
                                                 std::ptrdiff_t to_line) {
  for (int i = 0; i < 64 / Size; ++i) {
    for (int j = 0; j < 32 / Size; ++j) {
      for (int k = 0; k < Size; ++k)
        to[j * to_line + i * Size + k] = from[i * from_line + j * Size + k];
    }
  }
}

#endif

#if (defined(__GNUC__) || defined(__clang__)) && !defined(__CUDACC__) && !defined(__HIPCC__) && \
    (defined(__AVX__) || !defined(__x86_64__))

template <class T>
struct PackOf;
template <>
struct PackOf<float> {
  using Value [[gnu::vector_size(32)]] = float;
  using Unaligned [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]] = float;
};
template <>
struct PackOf<double> {
  using Value [[gnu::vector_size(32)]] = double;
  using Unaligned [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;
};
template <class T>
using Pack = typename PackOf<T>::Value;

template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> zero_pack() {
  return Pack<T>{};
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> load_pack(T const* from) {
  return *reinterpret_cast<typename PackOf<T>::Unaligned const*>(from);
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION void store_pack(T* to, Pack<T> const& pack) {
  *reinterpret_cast<typename PackOf<T>::Unaligned*>(to) = pack;
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> all_of(T value) {
  return value - Pack<T>{};
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> fma(Pack<T> const& a, Pack<T> const& b, Pack<T> const& c) {
  Pack<T> result{};
  for (int i = 0; i < pack_width<T>; ++i) result[i] = Kokkos::fma(a[i], b[i], c[i]);
  return result;
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> multiply(Pack<T> const& a, Pack<T> const& b) {
  return a * b;
}

/// a01 a23 b01 b23 | a45 a67 b45 b67.
KOKKOS_FORCEINLINE_FUNCTION Pack<float> sums_of_neighbours(Pack<float> a, Pack<float> b) {
  return __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) +
         __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
}
/// a01 b01 | a23 b23.
KOKKOS_FORCEINLINE_FUNCTION Pack<double> sums_of_neighbours(Pack<double> a, Pack<double> b) {
  return __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
}

/// a04 a15 a26 a37 | b04 b15 b26 b37.
KOKKOS_FORCEINLINE_FUNCTION Pack<float> sums_of_halves(Pack<float> a, Pack<float> b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11) +
         __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
}
/// a02 a13 | b02 b13.
KOKKOS_FORCEINLINE_FUNCTION Pack<double> sums_of_halves(Pack<double> a, Pack<double> b) {
  return __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

/// Loads `count` elements, +0 behind them; reads no others.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> load_first(T const* from, int count) {
#if defined(__AVX__)
  constexpr int width = pack_width<T>;
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  static constexpr auto masks = [] {
    std::array<Bits, static_cast<std::size_t>(2 * width)> result{};
    for (int i = 0; i < width; ++i) result[static_cast<std::size_t>(i)] = -1;
    return result;
  }();
  auto const mask =
      _mm256_loadu_si256(reinterpret_cast<__m256i const*>(masks.data() + width - count));
  if constexpr (sizeof(T) == 4) {
    return _mm256_maskload_ps(from, mask);
  } else {
    return _mm256_maskload_pd(from, mask);
  }
#else
  Pack<T> result{};
  for (int i = 0; i < count; ++i) result[i] = from[i];
  return result;
#endif
}

#else

template <class T>
struct Pack {
  T element[pack_width<T>];
  KOKKOS_FORCEINLINE_FUNCTION T& operator[](int i) { return element[i]; }
  KOKKOS_FORCEINLINE_FUNCTION T operator[](int i) const { return element[i]; }
};

template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> zero_pack() {
  return Pack<T>{};
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> load_pack(T const* from) {
  Pack<T> result;
  for (int i = 0; i < pack_width<T>; ++i) result[i] = from[i];
  return result;
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> operator+(Pack<T> a, Pack<T> const& b) {
  for (int i = 0; i < pack_width<T>; ++i) a[i] = a[i] + b[i];
  return a;
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION void store_pack(T* to, Pack<T> const& pack) {
  for (int i = 0; i < pack_width<T>; ++i) to[i] = pack[i];
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> all_of(T value) {
  Pack<T> result;
  for (int i = 0; i < pack_width<T>; ++i) result[i] = value;
  return result;
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> fma(Pack<T> const& a, Pack<T> const& b, Pack<T> const& c) {
  Pack<T> result;
  for (int i = 0; i < pack_width<T>; ++i) result[i] = Kokkos::fma(a[i], b[i], c[i]);
  return result;
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> multiply(Pack<T> a, Pack<T> const& b) {
  for (int i = 0; i < pack_width<T>; ++i) a[i] = a[i] * b[i];
  return a;
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> sums_of_neighbours(Pack<T> const& a, Pack<T> const& b) {
  constexpr int half = pack_width<T> / 2;
  Pack<T> result;
  for (int i = 0; i < half; ++i) {
    int const to = i / (half / 2) * half + i % (half / 2);
    result[to] = a[2 * i] + a[2 * i + 1];
    result[to + half / 2] = b[2 * i] + b[2 * i + 1];
  }
  return result;
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> sums_of_halves(Pack<T> const& a, Pack<T> const& b) {
  constexpr int half = pack_width<T> / 2;
  Pack<T> result;
  for (int i = 0; i < half; ++i) {
    result[i] = a[i] + a[i + half];
    result[i + half] = b[i] + b[i + half];
  }
  return result;
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> load_first(T const* from, int count) {
  Pack<T> result{};
  for (int i = 0; i < count; ++i) result[i] = from[i];
  return result;
}

#endif

template <int Count>
inline constexpr int tree_levels = std::countr_zero(static_cast<unsigned>(Count));

/// Level 0 adds adjacent elements of each pack. After log2(pack width) levels, element i is the
/// tree over pack i.
template <int Level, class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> add_level(Pack<T> const& a, Pack<T> const& b) {
  constexpr int levels = tree_levels<pack_width<T>>;
  if constexpr (Level % levels == levels - 1) {
    return sums_of_halves(a, b);
  } else {
    return sums_of_neighbours(a, b);
  }
}

template <int Level, int Count, class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> tree_of_packs(Pack<T> const* packs) {
  if constexpr (Count == 1) {
    return *packs;
  } else {
    constexpr int half = Count / 2;
    return add_level<Level + tree_levels<half>, T>(tree_of_packs<Level, half, T>(packs),
                                                   tree_of_packs<Level, half, T>(packs + half));
  }
}

template <int Level, class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> in_order(Pack<T> const& pack) {
  if constexpr (Level % tree_levels<pack_width<T>> == 0) {
    return pack;
  } else {
    return in_order<Level + 1, T>(add_level<Level, T>(pack, zero_pack<T>()));
  }
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION T sum_of_pack(Pack<T> const& p) {
  if constexpr (pack_width<T> == 8) {
    return ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7]));
  } else {
    return (p[0] + p[1]) + (p[2] + p[3]);
  }
}

}  // namespace tessera::backends::host
