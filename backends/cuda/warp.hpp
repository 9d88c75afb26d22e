// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

/// What Kokkos does not offer of a CUDA warp: exchanges between its threads and loads with a hint.
namespace tessera::backends::cuda {

template <class T>
struct WordOf;
template <>
struct WordOf<float> {
  using Type = float4;
};
template <>
struct WordOf<double> {
  using Type = double2;
};

/// The threads that run in step, all of which take part in every exchange.
struct Warp {
#if defined(KOKKOS_ARCH_MAXWELL) || defined(KOKKOS_ARCH_PASCAL) || defined(KOKKOS_ARCH_TURING75)
  static constexpr bool has_large_scratch = false;
#else
  /// Whether a multiprocessor has 96 KiB of scratch and more (Turing: 64 KiB).
  static constexpr bool has_large_scratch = true;
#endif

  /// The value of the thread whose number differs in the bits of `mask`.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_xor(T value, [[maybe_unused]] int mask) {
    KOKKOS_IF_ON_DEVICE((return __shfl_xor_sync(0xffffffffU, value, mask);))
    KOKKOS_IF_ON_HOST((return value;))
  }
  /// One scalar that is not needed again.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T load_once(T const* from) {
    KOKKOS_IF_ON_DEVICE((return __ldcs(from);))
    KOKKOS_IF_ON_HOST((return *from;))
  }
  /// One scalar that nothing writes while the kernel runs.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T load_constant(T const* from) {
    KOKKOS_IF_ON_DEVICE((return __ldg(from);))
    KOKKOS_IF_ON_HOST((return *from;))
  }
  /// 16 aligned bytes that are not needed again.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static auto load_word_once(T const* from) {
    return load_once(reinterpret_cast<typename WordOf<T>::Type const*>(from));
  }
  /// 16 aligned bytes that nothing writes while the kernel runs.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static auto load_word_constant(T const* from) {
    return load_constant(reinterpret_cast<typename WordOf<T>::Type const*>(from));
  }

  /// A value that other teams may write meanwhile.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T read_now(T const* from) {
    return *static_cast<T const volatile*>(from);
  }
  /// Lets other teams see a value.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void write_now(T* to, T value) {
    *static_cast<T volatile*>(to) = value;
  }
};

}  // namespace tessera::backends::cuda
