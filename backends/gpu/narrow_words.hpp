// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <Kokkos_Core.hpp>

#include <tessera/backends/gpu/words.hpp>
#include <tessera/order/narrow.hpp>

/// Lines of elements of 1 or 2 bytes. Threads own the same elements as of floats, load them as
/// stored, and widen them before use.
namespace tessera::detail::gpu {

/// Four adjacent elements.
template <int Bytes>
struct alignas(4 * Bytes) StoredWord {
  PerLine<std::uint32_t, Bytes> bits;

  template <int E>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t element() const {
    if constexpr (Bytes == 1) {
      return bits[0] >> (8 * E) & 0xffU;
    } else {
      return E % 2 == 0 ? bits[E / 2] & 0xffffU : bits[E / 2] >> 16U;
    }
  }
};

/// Takes the place of a float const*. Kernels are compiled once for signed and unsigned integers,
/// whose storage S is unsigned: a branch per word would take as long as widening.
template <Storage S>
struct StoredData {
  static constexpr int element_bytes = static_cast<int>(tessera::element_bytes(S));
  unsigned char const* bytes;
  std::uint32_t sign;  ///< the sign bit of signed integers, otherwise 0

  KOKKOS_FORCEINLINE_FUNCTION StoredData operator+(Index j) const {
    return {bytes + j * element_bytes, sign};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION float widen(std::uint32_t bits) const {
    if constexpr (S == Storage::uint8 || S == Storage::uint16) {
      return widened_integer(bits, sign);
    } else {
      return widened<S>(bits);
    }
  }
};
template <Storage S>
struct StoredOf<StoredData<S>> {
  using Type = StoredWord<StoredData<S>::element_bytes>;
};
template <Storage S>
KOKKOS_FORCEINLINE_FUNCTION std::uintptr_t address_of(StoredData<S> data) {
  return reinterpret_cast<std::uintptr_t>(data.bytes);
}

/// Calls body(lines).
template <class Body>
void with_stored(NarrowLines<float> const& lines, Body const& body) {
  auto const call = [&]<Storage S>(IsStored<S>, std::uint32_t sign = 0) {
    body(Lines<float, StoredData<S>>{
        {lines.data.bytes, sign}, lines.count, lines.length, lines.leading, lines.panel_lines});
  };
  switch (lines.data.storage) {
    case Storage::float16:
      return call(IsStored<Storage::float16>{});
    case Storage::bfloat16:
      return call(IsStored<Storage::bfloat16>{});
    case Storage::int8:
      return call(IsStored<Storage::uint8>{}, 0x80U);
    case Storage::uint8:
      return call(IsStored<Storage::uint8>{});
    case Storage::int16:
      return call(IsStored<Storage::uint16>{}, 0x8000U);
    case Storage::uint16:
      return call(IsStored<Storage::uint16>{});
  }
}

template <class Warp, Storage S, class Word = Stored<StoredData<S>>>
KOKKOS_FORCEINLINE_FUNCTION Word load_whole(StoredData<S> from, Once) {
  return Warp::load_bytes_once(reinterpret_cast<Word const*>(from.bytes));
}
template <class Warp, Storage S, class Word = Stored<StoredData<S>>>
KOKKOS_FORCEINLINE_FUNCTION Word load_whole(StoredData<S> from, OnceInBlock) {
  return Warp::load_bytes_once_in_block(reinterpret_cast<Word const*>(from.bytes));
}

template <class Warp, bool Aligned, int Words, class How, Storage S>
KOKKOS_FORCEINLINE_FUNCTION void load_words(Stored<StoredData<S>>* words, StoredData<S> from,
                                            int rest, How how) {
  static_assert(Aligned);
  static_for<Words>([&](auto k) {
    constexpr int at = k() * summation::lanes<float>;
    words[k()] = {};
    if (at < rest) words[k()] = load_whole<Warp>(from + at, how);
  });
}

/// Loads words of a vector that narrow lines multiply, which may begin anywhere.
template <class Warp, bool Aligned, int Words, class Data, class T>
KOKKOS_FORCEINLINE_FUNCTION void load_vector(Word<T>* words, T const* from, int rest) {
  if (!is_narrow<Data> || address_of(from) % 16 == 0) {
    return load_words<Warp, Aligned, Words>(words, from, rest, Constant{});
  }
  static_for<Words>([&](auto k) {
    words[k()] = load_scalars<Warp, true>(from, k() * summation::lanes<T>, rest, Constant{});
  });
}

template <Storage S>
KOKKOS_FORCEINLINE_FUNCTION Word<float> scalars_of(Stored<StoredData<S>> const& word,
                                                   StoredData<S> data) {
  Word<float> scalars;
  static_for<4>([&](auto e) { scalars.e[e()] = data.widen(word.template element<e()>()); });
  return scalars;
}

}  // namespace tessera::detail::gpu
