// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/narrow.hpp>
#include <tessera/order/narrow.hpp>

#if defined(__F16C__) && !defined(__CUDACC__) && !defined(__HIPCC__)
#include <immintrin.h>
#endif

namespace tessera::backends::host {

using summation::Index;

/// Blocks of known size: compilers vectorise them also without -O3.
template <Storage S, class T>
KOKKOS_FORCEINLINE_FUNCTION void widen_elements(detail::BitsOf<S> const* KOKKOS_RESTRICT from,
                                                Index count, T* KOKKOS_RESTRICT to) {
  constexpr Index block = 32;
  Index j = 0;
#if defined(__F16C__) && !defined(__CUDACC__) && !defined(__HIPCC__)
  // Exact, also if the thread flushes subnormal numbers.
  if constexpr (S == Storage::float16 && std::is_same_v<T, float>) {
    for (; j + 8 <= count; j += 8) {
      __m128i const some = _mm_loadu_si128(reinterpret_cast<__m128i const*>(from + j));
      _mm256_storeu_ps(to + j, _mm256_cvtph_ps(some));
    }
  }
#endif
  for (; j + block <= count; j += block) {
    for (Index e = j; e < j + block; ++e) to[e] = static_cast<T>(detail::widened<S>(from[e]));
  }
  for (; j < count; ++j) to[j] = static_cast<T>(detail::widened<S>(from[j]));
}

/// to[j] = element j
template <class T>
__attribute__((noinline)) KOKKOS_FUNCTION void widen(detail::NarrowData<T> const& from, Index count,
                                                     T* to) {
  detail::with_storage(from.storage, [&](auto stored) {
    widen_elements<stored()>(from.template elements<stored()>(), count, to);
  });
}

}  // namespace tessera::backends::host
