// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/order/lines.hpp>
#include <tessera/order/narrow.hpp>
#include <tessera/order/static_for.hpp>

/// How lines are divided among threads. Sixteen threads own a segment, with four words of 16 bytes
/// each, one per step of the lanes' chains. A warp owns two segments, its span.
namespace tessera::detail::gpu {

template <class Exec>
using WarpOf = typename backends::Backend<Exec>::Warp;

inline constexpr int segment_threads = 16;
inline constexpr int warp_threads = 32;
inline constexpr int segment_words = summation::chain_steps;
template <class T>
inline constexpr int word_width = 16 / static_cast<int>(sizeof(T));
template <class T>
inline constexpr int span = 2 * summation::segment<T>;

template <int X>
inline constexpr int log2_of = static_cast<int>(std::bit_width(static_cast<unsigned>(X))) - 1;

template <class T>
struct alignas(16) Word {
  PerLine<T, word_width<T>> e;
};

inline bool on_word(void const* p) {
  return reinterpret_cast<std::uintptr_t>(p) % 16 == 0;
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION std::uintptr_t address_of(T const* data) {
  return reinterpret_cast<std::uintptr_t>(data);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION std::uintptr_t address_of(NarrowData<T> const& data) {
  return reinterpret_cast<std::uintptr_t>(data.bytes);
}
template <class T>
int bytes_of_element(T const* /*data*/) {
  return static_cast<int>(sizeof(T));
}
template <class T>
int bytes_of_element(NarrowData<T> const& data) {
  return static_cast<int>(element_bytes(data.storage));
}

template <class T, class Data>
bool is_aligned(Lines<T, Data> const& lines) {
  Index const width = 16 / bytes_of_element(lines.data);
  return address_of(lines.data) % 16 == 0 && lines.length % width == 0 &&
         (lines.leading % width == 0 || lines.count == 1);
}
template <class T>
bool is_aligned(Lines<T> const& lines, T const* x) {
  return is_aligned(lines) && on_word(x);
}

template <class T>
int words_of_segment(Index length) {
  if (length > 2 * summation::lanes<T>) return segment_words;
  return length <= summation::lanes<T> ? 1 : 2;
}
template <class Body>
void with_words(int words, Body const& body) {
  with_static<1, 2, segment_words>(words, body);
}
inline constexpr int most_short_lines(int words) {
  return words == segment_words ? 4 : 8;
}

template <class Body>
void with_alignment(bool aligned, Body const& body) {
  if (aligned) {
    body(std::true_type{});
  } else {
    body(std::false_type{});
  }
}

/// Elements of an aligned word are adjacent; otherwise adjacent threads read adjacent scalars.
template <class T, bool Aligned>
KOKKOS_FORCEINLINE_FUNCTION constexpr int element_offset(int e) {
  return Aligned ? e : e * segment_threads;
}
template <class T, bool Aligned>
KOKKOS_FORCEINLINE_FUNCTION constexpr int thread_offset(int thread) {
  return Aligned ? thread * word_width<T> : thread;
}

/// A 32-bit result is cheap to compare.
KOKKOS_FORCEINLINE_FUNCTION int rest_of_line(Index length, Index column) {
  constexpr Index enough = 1 << 30;
  Index const rest = length - column;
  return static_cast<int>(rest < 0 ? 0 : rest < enough ? rest : enough);
}

struct Once {};         ///< data not needed again: leaves caches to others
struct OnceInBlock {};  ///< data not needed again, unlike the rest of their 256 bytes
struct Constant {};     ///< data read by many threads
struct Cached {};       ///< data that the team reads again soon

template <class Warp, class T>
KOKKOS_FORCEINLINE_FUNCTION Word<T> load_whole(T const* from, Once) {
  return Kokkos::bit_cast<Word<T>>(Warp::load_word_once(from));
}
template <class Warp, class T>
KOKKOS_FORCEINLINE_FUNCTION Word<T> load_whole(T const* from, OnceInBlock) {
  return Kokkos::bit_cast<Word<T>>(Warp::load_word_once_in_block(from));
}
template <class Warp, class T>
KOKKOS_FORCEINLINE_FUNCTION Word<T> load_whole(T const* from, Constant) {
  return Kokkos::bit_cast<Word<T>>(Warp::load_word_constant(from));
}
template <class Warp, class T>
KOKKOS_FORCEINLINE_FUNCTION Word<T> load_whole(T const* from, Cached) {
  return *reinterpret_cast<Word<T> const*>(from);
}
template <class Warp, class T>
KOKKOS_FORCEINLINE_FUNCTION T load_scalar(T const* from, OnceInBlock) {
  return Warp::load_once_in_block(from);
}
/// Only for lines that do not start on words. Warps share their blocks, so fetching whole blocks is
/// faster.
template <class Warp, class T>
KOKKOS_FORCEINLINE_FUNCTION T load_scalar(T const* from, Once) {
  return load_scalar<Warp>(from, OnceInBlock{});
}
template <class Warp, class T>
KOKKOS_FORCEINLINE_FUNCTION T load_scalar(T const* from, Constant) {
  return Warp::load_constant(from);
}
template <class Warp, class T>
KOKKOS_FORCEINLINE_FUNCTION T load_scalar(T const* from, Cached) {
  return *from;
}

template <class Warp, bool Aligned, class How, class T>
KOKKOS_FORCEINLINE_FUNCTION Word<T> load_scalars(T const* from, int offset, int rest, How how) {
  Word<T> word{};
  static_for<word_width<T>>([&](auto e) {
    constexpr int at = element_offset<T, Aligned>(e());
    if (offset + at < rest) word.e[e()] = load_scalar<Warp>(from + offset + at, how);
  });
  return word;
}

/// What a thread loads of adjacent elements: a word of scalars, or less (narrow_words.hpp).
template <class Data>
struct StoredOf;
template <class T>
struct StoredOf<T const*> {
  using Type = Word<T>;
};
template <class Data>
using Stored = typename StoredOf<Data>::Type;

/// `data`: where the word comes from.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION Word<T> scalars_of(Word<T> const& word, T const* /*data*/) {
  return word;
}

/// Loads the word at `offset`; elements from `rest` on are +0.
template <class Warp, bool Aligned, class How, class T>
KOKKOS_FORCEINLINE_FUNCTION Word<T> load_word(T const* from, int offset, int rest, How how) {
  if constexpr (Aligned) {
    Word<T> word{};
    if (offset < rest) word = load_whole<Warp>(from + offset, how);
    return word;
  } else {
    return load_scalars<Warp, Aligned>(from, offset, rest, how);
  }
}

template <class Warp, bool Aligned, int Words, class How, class T>
KOKKOS_FORCEINLINE_FUNCTION void load_words(Word<T>* words, T const* from, int rest, How how) {
  static_for<Words>([&](auto k) {
    words[k()] = load_word<Warp, Aligned>(from, k() * summation::lanes<T>, rest, how);
  });
}

template <bool Aligned, class T>
KOKKOS_FORCEINLINE_FUNCTION void store_word(T* to, int offset, int rest, Word<T> const& word) {
  if constexpr (Aligned) {
    if (offset < rest) *reinterpret_cast<Word<T>*>(to + offset) = word;
  } else {
    static_for<word_width<T>>([&](auto e) {
      constexpr int at = element_offset<T, Aligned>(e());
      if (offset + at < rest) to[offset + at] = word.e[e()];
    });
  }
}

template <class T>
KOKKOS_FORCEINLINE_FUNCTION void multiply_add(Word<T> const& a, Word<T> const& b, Word<T>& c) {
  static_for<word_width<T>>([&](auto e) { c.e[e()] = Kokkos::fma(a.e[e()], b.e[e()], c.e[e()]); });
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void multiply_add(T a, Word<T> const& b, Word<T>& c) {
  static_for<word_width<T>>([&](auto e) { c.e[e()] = Kokkos::fma(a, b.e[e()], c.e[e()]); });
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION Word<T> operator+(Word<T> a, Word<T> const& b) {
  static_for<word_width<T>>([&](auto e) { a.e[e()] = a.e[e()] + b.e[e()]; });
  return a;
}

}  // namespace tessera::detail::gpu
