// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include <Kokkos_Macros.hpp>

namespace tessera::detail {

/// std::integral_constant for device code.
template <int N>
struct StaticInt {
  KOKKOS_FORCEINLINE_FUNCTION constexpr int operator()() const { return N; }
};

template <class Body, int... I>
KOKKOS_FORCEINLINE_FUNCTION constexpr void static_for_impl(Body const& body,
                                                           std::integer_sequence<int, I...>) {
  (body(StaticInt<I>{}), ...);
}

/// Always unrolled: arrays indexed by I stay in registers.
template <int Count, class Body>
KOKKOS_FORCEINLINE_FUNCTION constexpr void static_for(Body const& body) {
  static_for_impl(body, std::make_integer_sequence<int, Count>{});
}

/// Two calls in the loop's body: one is slower, more compile slowly.
template <int Count, class Body>
KOKKOS_FORCEINLINE_FUNCTION constexpr void for_by_twos(Body const& body) {
  constexpr int at_a_time = Count < 2 ? Count : 2;
  static_assert(Count % at_a_time == 0);
  for (int i = 0; i < Count; i += at_a_time) {
    body(i);
    if constexpr (at_a_time == 2) body(i + 1);
  }
}

/// N: the listed number equal to `value`, or the last.
template <int First, int... Others, class Body>
void with_static(int value, Body const& body) {
  if constexpr (sizeof...(Others) == 0) {
    body(StaticInt<First>{});
  } else {
    value == First ? body(StaticInt<First>{}) : with_static<Others...>(value, body);
  }
}

}  // namespace tessera::detail
