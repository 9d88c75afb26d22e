// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/platform/half.hpp>

/// Element types that `multiply`, `multiply_transposed` and `atax` read as stored.
namespace tessera {

/// A number of IEEE 754 binary16. Tessera reads it and does not compute with it.
struct Float16 {
  std::uint16_t bits;
};

/// The upper half of a float. Tessera reads it and does not compute with it.
struct Bfloat16 {
  std::uint16_t bits;
};

/// Every value of these types is a float.
enum class Storage { float16, bfloat16, int8, uint8, int16, uint16 };

KOKKOS_INLINE_FUNCTION constexpr std::size_t element_bytes(Storage storage) {
  return storage == Storage::int8 || storage == Storage::uint8 ? 1 : 2;
}

/// `value`: the Storage of S. Specialise it for another type with the same representation.
template <class S>
struct StorageOf {};
template <Storage S>
struct IsStored {
  static constexpr Storage value = S;
  KOKKOS_INLINE_FUNCTION constexpr Storage operator()() const { return S; }
};
template <>
struct StorageOf<Float16> : IsStored<Storage::float16> {};
template <>
struct StorageOf<Bfloat16> : IsStored<Storage::bfloat16> {};
template <>
struct StorageOf<std::int8_t> : IsStored<Storage::int8> {};
template <>
struct StorageOf<std::uint8_t> : IsStored<Storage::uint8> {};
template <>
struct StorageOf<std::int16_t> : IsStored<Storage::int16> {};
template <>
struct StorageOf<std::uint16_t> : IsStored<Storage::uint16> {};
template <>
struct StorageOf<backends::KokkosHalf> : IsStored<Storage::float16> {};
template <>
struct StorageOf<backends::KokkosBhalf> : IsStored<Storage::bfloat16> {};
template <>
struct StorageOf<backends::StdFloat16> : IsStored<Storage::float16> {};
template <>
struct StorageOf<backends::StdBfloat16> : IsStored<Storage::bfloat16> {};

template <class S>
concept NarrowScalar = requires {
  { StorageOf<S>::value } -> std::convertible_to<Storage>;
} && sizeof(S) == element_bytes(StorageOf<S>::value);

namespace detail {

/// Without arithmetic on subnormal floats, which a thread may flush to zero, and without branches,
/// so that compilers vectorise it.
KOKKOS_FORCEINLINE_FUNCTION float widened_half(std::uint32_t bits) {
  constexpr std::uint32_t smallest_normal = 0x38800000U;  // 2^-14
  constexpr std::uint32_t largest_exponent = 0x0f800000U;
  constexpr std::uint32_t bias = 0x38000000U;  // of a float's exponent, minus that of a half
  std::uint32_t const magnitude = (bits & 0x7fffU) << 13U;
  std::uint32_t const exponent = magnitude & largest_exponent;
  auto const is_subnormal = static_cast<std::uint32_t>(-static_cast<std::int32_t>(exponent == 0));
  auto const is_not_finite =
      static_cast<std::uint32_t>(-static_cast<std::int32_t>(exponent == largest_exponent));
  float const subnormal = Kokkos::bit_cast<float>(magnitude + smallest_normal) -
                          Kokkos::bit_cast<float>(smallest_normal);
  std::uint32_t const others = magnitude + bias + (bias & is_not_finite);
  std::uint32_t const result =
      (Kokkos::bit_cast<std::uint32_t>(subnormal) & is_subnormal) | (others & ~is_subnormal);
  return Kokkos::bit_cast<float>((bits & 0x8000U) << 16U | result);
}

/// Kokkos' type has an instruction on GPUs.
template <class Half>
KOKKOS_FORCEINLINE_FUNCTION float widened_by(std::uint32_t bits) {
  if constexpr (NarrowScalar<Half> && std::is_trivially_copyable_v<Half>) {
    return static_cast<float>(Kokkos::bit_cast<Half>(static_cast<std::uint16_t>(bits)));
  } else {
    return widened_half(bits);
  }
}

/// GPUs convert integers slowly, and add fast: 2^23 + i is a float with the bits of i. `sign`: the
/// sign bit of a signed integer, otherwise 0.
KOKKOS_FORCEINLINE_FUNCTION float widened_integer(std::uint32_t bits, std::uint32_t sign) {
  constexpr std::uint32_t two_to_23 = 0x4b000000U;
  return Kokkos::bit_cast<float>(two_to_23 | (bits ^ sign)) -
         Kokkos::bit_cast<float>(two_to_23 | sign);
}

/// The number with these bits.
template <Storage S>
KOKKOS_FORCEINLINE_FUNCTION float widened(std::uint32_t bits) {
  if constexpr (S == Storage::float16) {
    return widened_by<backends::KokkosHalf>(bits);
  } else if constexpr (S == Storage::bfloat16) {
    return Kokkos::bit_cast<float>(bits << 16U);
  } else {
    constexpr bool is_signed = S == Storage::int8 || S == Storage::int16;
    constexpr std::uint32_t sign = !is_signed ? 0U : (element_bytes(S) == 1 ? 0x80U : 0x8000U);
    return widened_integer(bits, sign);
  }
}

/// Calls body(IsStored<storage>).
template <class Body>
KOKKOS_FORCEINLINE_FUNCTION void with_storage(Storage storage, Body const& body) {
  switch (storage) {
    case Storage::float16:
      return body(IsStored<Storage::float16>{});
    case Storage::bfloat16:
      return body(IsStored<Storage::bfloat16>{});
    case Storage::int8:
      return body(IsStored<Storage::int8>{});
    case Storage::uint8:
      return body(IsStored<Storage::uint8>{});
    case Storage::int16:
      return body(IsStored<Storage::int16>{});
    case Storage::uint16:
      return body(IsStored<Storage::uint16>{});
  }
}

}  // namespace detail

/// The float, or double, with the value of `x`; exact.
template <class T = float, NarrowScalar S>
KOKKOS_FORCEINLINE_FUNCTION T widen(S x) {
  using Bits = std::conditional_t<sizeof(S) == 1, std::uint8_t, std::uint16_t>;
  return static_cast<T>(detail::widened<StorageOf<S>::value>(Kokkos::bit_cast<Bits>(x)));
}

}  // namespace tessera
