// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <Kokkos_Core.hpp>

/// What Kokkos does not offer of a CUDA warp: exchanges between its threads, loads and stores with
/// a hint, and copies to scratch that nobody waits for.
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

/// So many bytes, as the hardware loads and stores them at a time.
template <std::size_t Size>
struct BytesOf;
template <>
struct BytesOf<4> {
  using Type = unsigned;
};
template <>
struct BytesOf<8> {
  using Type = uint2;
};
template <>
struct BytesOf<16> {
  using Type = uint4;
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

  /// 4, 8 or 16 aligned bytes that are not needed again.
  template <class Bytes>
  KOKKOS_FORCEINLINE_FUNCTION static Bytes load_bytes_once(Bytes const* from) {
    using Type = typename BytesOf<sizeof(Bytes)>::Type;
    return Kokkos::bit_cast<Bytes>(load_once(reinterpret_cast<Type const*>(from)));
  }
  /// Copies 4, 8 or 16 aligned bytes to where nobody needs them soon. (A bit_cast of bytes that are
  /// still in scratch would read them one by one.)
  template <class Bytes>
  KOKKOS_FORCEINLINE_FUNCTION static void store_bytes_once(Bytes* to, Bytes const* from) {
    using Type [[maybe_unused]] = typename BytesOf<sizeof(Bytes)>::Type;
    KOKKOS_IF_ON_DEVICE(
        (__stcs(reinterpret_cast<Type*>(to), *reinterpret_cast<Type const*>(from));))
    KOKKOS_IF_ON_HOST((*to = *from;))
  }

  /// Starts to copy 16 aligned bytes to scratch, or as many zeros. They are there once the thread
  /// has waited for them; until then neither side may change.
  template <class Bytes>
  KOKKOS_FORCEINLINE_FUNCTION static void copy_ahead(Bytes* scratch, Bytes const* from,
                                                     bool is_there) {
    static_assert(sizeof(Bytes) == 16);
    KOKKOS_IF_ON_DEVICE((start_copy(scratch, from, is_there ? 16 : 0);))
    KOKKOS_IF_ON_HOST((*scratch = is_there ? *from : Bytes{};))
  }
  /// Ends a set of copies.
  KOKKOS_FORCEINLINE_FUNCTION static void end_of_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
  }
  /// Waits for all sets of the thread's copies but the `Later` last.
  template <int Later>
  KOKKOS_FORCEINLINE_FUNCTION static void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Later) : "memory");
#endif
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

 private:
  /// Copies `size` bytes, 0 or 16, and fills up with zeros.
  __device__ static void start_copy([[maybe_unused]] void* scratch,
                                    [[maybe_unused]] void const* from,
                                    [[maybe_unused]] unsigned size) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(scratch))),
                 "l"(from), "r"(size)
                 : "memory");
#elif defined(__CUDA_ARCH__)
    *static_cast<uint4*>(scratch) = size > 0 ? *static_cast<uint4 const*>(from) : uint4{};
#endif
  }
};

}  // namespace tessera::backends::cuda
