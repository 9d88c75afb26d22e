// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/narrow.hpp>
#include <tessera/order/lines.hpp>

/// Lines whose elements are stored in fewer bits than T. The type is known at run time, so that the
/// kernels are compiled once for all of them.
namespace tessera::detail {

/// The bits of an element.
template <Storage S>
using BitsOf = std::conditional_t<element_bytes(S) == 1, std::uint8_t, std::uint16_t>;

/// Takes the place of a T const*.
template <class T>
struct NarrowData {
  unsigned char const* bytes = nullptr;
  Storage storage = Storage::float16;

  KOKKOS_FORCEINLINE_FUNCTION NarrowData operator+(Index j) const {
    return {bytes + j * static_cast<Index>(element_bytes(storage)), storage};
  }
  template <Storage S>
  KOKKOS_FORCEINLINE_FUNCTION auto const* elements() const {
    return reinterpret_cast<BitsOf<S> const*>(bytes);
  }
  /// to[j] = element j
  KOKKOS_FORCEINLINE_FUNCTION void widen(Index count, T* to) const {
    with_storage(storage, [&](auto stored) {
      auto const* const from = elements<stored()>();
      for (Index j = 0; j < count; ++j) to[j] = static_cast<T>(widened<stored()>(from[j]));
    });
  }
};

template <class T>
using NarrowLines = Lines<T, NarrowData<T>>;

template <class Data>
inline constexpr bool is_narrow = !std::is_pointer_v<Data>;

/// Count, length and leading dimension, without data.
template <class T, class Data>
Lines<T> shape_of(Lines<T, Data> const& lines) {
  return {nullptr, lines.count, lines.length, lines.leading, lines.panel_lines, lines.stride};
}

}  // namespace tessera::detail
