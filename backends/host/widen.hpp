// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/simd.hpp>
#include <tessera/narrow.hpp>
#include <tessera/order/narrow.hpp>
#include <tessera/order/static_for.hpp>

#if defined(__AVX2__) && defined(__F16C__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#include <immintrin.h>
#endif

namespace tessera::backends::host {

using summation::Index;

/// Takes the place of a T const*.
template <Storage S, class T>
struct StoredAs {
  detail::BitsOf<S> const* from;

  KOKKOS_FORCEINLINE_FUNCTION StoredAs operator+(Index j) const { return {from + j}; }
};

template <Storage S, class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> load_pack(StoredAs<S, T> const& data) {
#if defined(__AVX2__) && defined(__F16C__) && !defined(__CUDACC__) && !defined(__HIPCC__)
  if constexpr (std::is_same_v<T, float>) {
    auto const* const place = reinterpret_cast<__m128i const*>(data.from);
    if constexpr (S == Storage::float16) {
      return std::bit_cast<Pack<float>>(_mm256_cvtph_ps(_mm_loadu_si128(place)));
    } else if constexpr (S == Storage::bfloat16) {
      __m256i const bits = _mm256_cvtepu16_epi32(_mm_loadu_si128(place));
      return std::bit_cast<Pack<float>>(_mm256_slli_epi32(bits, 16));
    } else {
      __m256i const integers = [&] {
        if constexpr (S == Storage::int8) return _mm256_cvtepi8_epi32(_mm_loadl_epi64(place));
        if constexpr (S == Storage::uint8) return _mm256_cvtepu8_epi32(_mm_loadl_epi64(place));
        if constexpr (S == Storage::int16) return _mm256_cvtepi16_epi32(_mm_loadu_si128(place));
        if constexpr (S == Storage::uint16) return _mm256_cvtepu16_epi32(_mm_loadu_si128(place));
      }();
      return std::bit_cast<Pack<float>>(_mm256_cvtepi32_ps(integers));
    }
  }
#endif
  Pack<T> result{};
  for (int i = 0; i < pack_width<T>; ++i) {
    result[i] = static_cast<T>(detail::widened<S>(data.from[i]));
  }
  return result;
}

/// Loads `count` elements, +0 behind them; reads no others.
template <Storage S, class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> load_first(StoredAs<S, T> const& data, int count) {
  detail::PerLine<T, pack_width<T>> elements{};
  for (int i = 0; i < count; ++i) elements[i] = static_cast<T>(detail::widened<S>(data.from[i]));
  return load_pack(elements);
}

/// sums[j] = chain over `Count` lines of y[r] * line_r[j], from +0 if `Fresh`, else from begun[j].
/// If `Merge`, sums[j] += the chain.
template <int Count, bool Fresh, bool Merge, Storage S, class T>
__attribute__((noinline)) KOKKOS_FUNCTION void add_stored_lines(StoredAs<S, T> const& lines,
                                                                Index leading, T const* y,
                                                                T const* begun, T* sums,
                                                                Index width) {
  auto const add = [&](Index j, auto const& load, Pack<T> const& from) {
    Pack<T> sum = from;
    detail::static_for<Count>([&](auto r) __attribute__((always_inline)) {
      sum = fma<T>(all_of(y[r()]), load(lines + (r() * leading + j)), sum);
    });
    return sum;
  };
  Index j = 0;
  for (; j + pack_width<T> <= width; j += pack_width<T>) {
    Pack<T> const sum = add(
        j, [](auto const& data) { return load_pack(data); },
        Fresh ? zero_pack<T>() : load_pack(begun + j));
    store_pack(sums + j, Merge ? load_pack(sums + j) + sum : sum);
  }
  if (j == width) return;
  auto const rest = static_cast<int>(width - j);
  Pack<T> const sum = add(
      j, [rest](auto const& data) { return load_first(data, rest); },
      Fresh ? zero_pack<T>() : load_first(begun + j, rest));
  for (int i = 0; i < rest; ++i) sums[j + i] = Merge ? sums[j + i] + sum[i] : sum[i];
}

/// to[j] = element j
template <class T>
__attribute__((noinline)) KOKKOS_FUNCTION void widen(detail::NarrowData<T> const& from, Index count,
                                                     T* to) {
  detail::with_storage(from.storage, [&](auto stored) {
    StoredAs<stored(), T> const data{from.template elements<stored()>()};
    Index j = 0;
    for (; j + pack_width<T> <= count; j += pack_width<T>) store_pack(to + j, load_pack(data + j));
    (from + j).widen(count - j, to + j);
  });
}

}  // namespace tessera::backends::host
