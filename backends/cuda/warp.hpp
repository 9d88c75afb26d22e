// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <Kokkos_Core.hpp>

/// Operations that Kokkos lacks: exchanges, cache hints, asynchronous copies to scratch.
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

/// Floating-point vectors: from integers the compiler assembles doubles in registers, which is
/// slower.
template <std::size_t Size>
struct NumbersOf;
template <>
struct NumbersOf<4> {
  using Type = float;
};
template <>
struct NumbersOf<8> {
  using Type = double;
};
template <>
struct NumbersOf<16> {
  using Type = float4;
};

/// All threads take part in every exchange.
struct Warp {
#if defined(KOKKOS_ARCH_MAXWELL) || defined(KOKKOS_ARCH_PASCAL) || defined(KOKKOS_ARCH_TURING75)
  static constexpr bool has_large_scratch = false;
#else
  /// At least 96 KiB (Turing has 64 KiB).
  static constexpr bool has_large_scratch = true;
#endif
#if defined(KOKKOS_ARCH_HOPPER) || defined(KOKKOS_ARCH_BLACKWELL)
  static constexpr bool has_clusters = true;
  /// Teams can start before earlier work of the stream ends, and wait for it.
  static constexpr bool starts_early = true;
#else
  static constexpr bool has_clusters = false;
  static constexpr bool starts_early = false;
#endif
#if defined(KOKKOS_ARCH_AMPERE) || defined(KOKKOS_ARCH_ADA89) || defined(KOKKOS_ARCH_HOPPER) || \
    defined(KOKKOS_ARCH_BLACKWELL)
  static constexpr bool has_copies = true;
  /// Loads can prefetch the surrounding 256 bytes to L2.
  static constexpr bool has_block_loads = true;
#else
  static constexpr bool has_copies = false;
  static constexpr bool has_block_loads = false;
#endif
  using Arrival = std::uint64_t;

  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each(int first, int last, int step,
                                                   Body const& body) {
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
    for (int i = first; i < last; i += step) body(i);
  }

  /// The value of the thread whose number differs in the bits of `mask`.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T shuffle_xor(T value, [[maybe_unused]] int mask) {
    KOKKOS_IF_ON_DEVICE((return __shfl_xor_sync(0xffffffffU, value, mask);))
    KOKKOS_IF_ON_HOST((return value;))
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T load_once(T const* from) {
    KOKKOS_IF_ON_DEVICE((return __ldcs(from);))
    KOKKOS_IF_ON_HOST((return *from;))
  }
  /// For data not needed again, unlike the rest of their 256 bytes: unaligned lines end inside such
  /// blocks.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T load_once_in_block(T const* from) {
    KOKKOS_IF_ON_DEVICE(
        (if constexpr (has_block_loads) { return load_block(from); } else { return __ldcs(from); }))
    KOKKOS_IF_ON_HOST((return *from;))
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T load_constant(T const* from) {
    KOKKOS_IF_ON_DEVICE((return __ldg(from);))
    KOKKOS_IF_ON_HOST((return *from;))
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static auto load_word_once(T const* from) {
    return load_once(reinterpret_cast<typename WordOf<T>::Type const*>(from));
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static auto load_word_constant(T const* from) {
    return load_constant(reinterpret_cast<typename WordOf<T>::Type const*>(from));
  }

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static auto load_word_once_in_block(T const* from) {
    return load_once_in_block(reinterpret_cast<typename WordOf<T>::Type const*>(from));
  }
  template <class Bytes>
  KOKKOS_FORCEINLINE_FUNCTION static Bytes load_bytes_once(Bytes const* from) {
    using Type = typename NumbersOf<sizeof(Bytes)>::Type;
    return Kokkos::bit_cast<Bytes>(load_once(reinterpret_cast<Type const*>(from)));
  }
  template <class Bytes>
  KOKKOS_FORCEINLINE_FUNCTION static Bytes load_bytes_once_in_block(Bytes const* from) {
    using Type = typename NumbersOf<sizeof(Bytes)>::Type;
    return Kokkos::bit_cast<Bytes>(load_once_in_block(reinterpret_cast<Type const*>(from)));
  }
  /// Reads 4, 8 or 16 aligned bytes; a bit_cast of scratch would read them one by one.
  template <class Bytes>
  KOKKOS_FORCEINLINE_FUNCTION static void store_bytes_once(Bytes* to, Bytes const* from) {
    using Type [[maybe_unused]] = typename NumbersOf<sizeof(Bytes)>::Type;
    KOKKOS_IF_ON_DEVICE(
        (__stcs(reinterpret_cast<Type*>(to), *reinterpret_cast<Type const*>(from));))
    KOKKOS_IF_ON_HOST((*to = *from;))
  }

  /// Copies 4, 8 or 16 aligned bytes, or zeros if not `inside`.
  template <class Bytes>
  KOKKOS_FORCEINLINE_FUNCTION static void copy_bytes(Bytes* scratch, Bytes const* from,
                                                     bool inside) {
    KOKKOS_IF_ON_DEVICE((start_copy_of_bytes(scratch, from, inside);))
    KOKKOS_IF_ON_HOST((*scratch = inside ? *from : Bytes{};))
  }
  /// Forms a batch of the copies since the last call.
  KOKKOS_FORCEINLINE_FUNCTION static void end_copies() { KOKKOS_IF_ON_DEVICE((end_batch();)) }
  /// Waits for all batches except the last `younger`, 0 to 2.
  KOKKOS_FORCEINLINE_FUNCTION static void wait_for_copies([[maybe_unused]] int younger) {
    KOKKOS_IF_ON_DEVICE((wait_for_batches(younger);))
  }

  KOKKOS_FORCEINLINE_FUNCTION static void expect_arrivals(Arrival* arrivals, int count) {
    KOKKOS_IF_ON_DEVICE(
        (for (int k = 0; k < count; ++k) start_arrival(arrivals + k); fence_arrivals();))
    KOKKOS_IF_ON_HOST((for (int k = 0; k < count; ++k) arrivals[k] = 0;))
  }
  KOKKOS_FORCEINLINE_FUNCTION static void expect_bytes([[maybe_unused]] Arrival* arrival,
                                                       [[maybe_unused]] int bytes) {
    KOKKOS_IF_ON_DEVICE((announce_bytes(arrival, bytes);))
  }
  using Remote = unsigned;
  KOKKOS_FORCEINLINE_FUNCTION static Remote of_cluster([[maybe_unused]] void const* scratch,
                                                       [[maybe_unused]] int team) {
    KOKKOS_IF_ON_DEVICE((return in_scratch_of(scratch, team);))
    KOKKOS_IF_ON_HOST((return 0;))
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void send([[maybe_unused]] Remote to, [[maybe_unused]] T value,
                                               [[maybe_unused]] Remote arrival) {
    KOKKOS_IF_ON_DEVICE((send_value(to, value, arrival);))
  }
  /// Signals `arrival` at the end. Addresses and `bytes` are multiples of 16. Source and
  /// destination may not change before the arrival.
  KOKKOS_FORCEINLINE_FUNCTION static void copy_piece(void* scratch, void const* from, int bytes,
                                                     Arrival* arrival) {
    KOKKOS_IF_ON_DEVICE((start_copy(scratch, from, bytes, arrival);))
    KOKKOS_IF_ON_HOST((std::memcpy(scratch, from, static_cast<std::size_t>(bytes)); ++*arrival;))
  }
  /// Orders later copies, by this thread or one that waits for it, after its reads and writes of
  /// scratch. Without it copies have overtaken pending loads.
  KOKKOS_FORCEINLINE_FUNCTION static void before_copies() { KOKKOS_IF_ON_DEVICE((fence_copies();)) }
  /// `parity` alternates with each use, from 0.
  KOKKOS_FORCEINLINE_FUNCTION static void wait_for_arrival([[maybe_unused]] Arrival const* arrival,
                                                           [[maybe_unused]] unsigned parity) {
    KOKKOS_IF_ON_DEVICE((while (!has_arrived(arrival, parity)){}))
  }
  KOKKOS_FORCEINLINE_FUNCTION static void sync() { KOKKOS_IF_ON_DEVICE((__syncwarp();)) }

  /// Earlier work of the stream is then complete and visible.
  KOKKOS_FORCEINLINE_FUNCTION static void wait_for_stream() {
    KOKKOS_IF_ON_DEVICE((if constexpr (starts_early) {
      asm volatile("griddepcontrol.wait;" ::: "memory");
    }))
  }

  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static T read_now(T const* from) {
    return *static_cast<T const volatile*>(from);
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION static void write_now(T* to, T value) {
    *static_cast<T volatile*>(to) = value;
  }

 private:
  __device__ static unsigned in_scratch(void const* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
  }
  // Generic addresses, as converted ones would be computed for each load.
  __device__ static float load_block(float const* from) {
    float x;
    asm volatile("ld.global.cs.L2::256B.f32 %0, [%1];" : "=f"(x) : "l"(from));
    return x;
  }
  __device__ static double load_block(double const* from) {
    double x;
    asm volatile("ld.global.cs.L2::256B.f64 %0, [%1];" : "=d"(x) : "l"(from));
    return x;
  }
  __device__ static float4 load_block(float4 const* from) {
    float4 x;
    asm volatile("ld.global.cs.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
                 : "l"(from));
    return x;
  }
  __device__ static double2 load_block(double2 const* from) {
    double2 x;
    asm volatile("ld.global.cs.L2::256B.v2.f64 {%0, %1}, [%2];" : "=d"(x.x), "=d"(x.y) : "l"(from));
    return x;
  }
  __device__ static void start_arrival(Arrival* arrival) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(in_scratch(arrival)) : "memory");
  }
  __device__ static void fence_copies() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __device__ static void fence_arrivals() {
    fence_copies();
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __device__ static void announce_bytes(Arrival* arrival, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(in_scratch(arrival)),
                 "r"(bytes)
                 : "memory");
  }
  __device__ static Remote in_scratch_of(void const* p, int team) {
    Remote result = 0;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(result) : "r"(in_scratch(p)), "r"(team));
    return result;
  }
  __device__ static void send_value(Remote to, float value, Remote arrival) {
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to),
        "r"(__float_as_uint(value)), "r"(arrival)
        : "memory");
  }
  __device__ static void send_value(Remote to, double value, Remote arrival) {
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(to),
        "l"(__double_as_longlong(value)), "r"(arrival)
        : "memory");
  }
  /// Hints that L2 need not keep the bytes.
  __device__ static void start_copy(void* scratch, void const* from, int bytes, Arrival* arrival) {
    std::uint64_t policy = 0;
    asm("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(policy));
    announce_bytes(arrival, bytes);
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
        "[%0], [%1], %2, [%3], %4;" ::"r"(in_scratch(scratch)),
        "l"(from), "r"(bytes), "r"(in_scratch(arrival)), "l"(policy)
        : "memory");
  }
  template <class Bytes>
  __device__ static void start_copy_of_bytes(Bytes* scratch, Bytes const* from, bool inside) {
    if constexpr (!has_copies) {
      *scratch = inside ? *from : Bytes{};
    } else if constexpr (sizeof(Bytes) == 16) {
      asm volatile(
          "cp.async.cg.shared.global.L2::256B [%0], [%1], 16, %2;" ::"r"(in_scratch(scratch)),
          "l"(from), "r"(inside ? 16 : 0)
          : "memory");
    } else {
      asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(in_scratch(scratch)),
                   "l"(from), "r"(inside ? static_cast<int>(sizeof(Bytes)) : 0), "n"(sizeof(Bytes))
                   : "memory");
    }
  }
  __device__ static void end_batch() {
    if constexpr (has_copies) asm volatile("cp.async.commit_group;" ::: "memory");
  }
  __device__ static void wait_for_batches(int younger) {
    if constexpr (has_copies) {
      if (younger == 0) {
        asm volatile("cp.async.wait_group 0;" ::: "memory");
      } else if (younger == 1) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
      } else {
        asm volatile("cp.async.wait_group 2;" ::: "memory");
      }
    }
  }
  __device__ static bool has_arrived(Arrival const* arrival, unsigned parity) {
    unsigned arrived = 0;
    asm volatile(
        "{\n"
        ".reg .pred arrived;\n"
        "mbarrier.try_wait.parity.shared.b64 arrived, [%1], %2;\n"
        "selp.u32 %0, 1, 0, arrived;\n"
        "}"
        : "=r"(arrived)
        : "r"(in_scratch(arrival)), "r"(parity)
        : "memory");
    return arrived != 0;
  }
};

}  // namespace tessera::backends::cuda
