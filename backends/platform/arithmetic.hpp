// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <Kokkos_Core.hpp>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/// Rounding mode and subnormal numbers of a host.
namespace tessera::backends::host {

/// Sets round-to-nearest with subnormal numbers for its lifetime. Modes belong to threads: without
/// it, bits would depend on which thread computes a team's work. Only x86-64 and AArch64.
class OrdinaryArithmetic {
 public:
  KOKKOS_INLINE_FUNCTION OrdinaryArithmetic() {
    KOKKOS_IF_ON_HOST((found_ = control(); if ((found_ & unusual) != 0) set(found_ & ~unusual);))
  }
  KOKKOS_INLINE_FUNCTION ~OrdinaryArithmetic() {
    KOKKOS_IF_ON_HOST((if ((found_ & unusual) != 0) set(found_);))
  }
  OrdinaryArithmetic(OrdinaryArithmetic const&) = delete;
  OrdinaryArithmetic& operator=(OrdinaryArithmetic const&) = delete;

 private:
  using Control = std::uint64_t;
#if defined(__x86_64__)
  /// MXCSR: flush to zero, rounding mode, denormals are zeros.
  static constexpr Control unusual = 0x8000 | 0x6000 | 0x0040;
  static Control control() { return _mm_getcsr(); }
  static void set(Control value) { _mm_setcsr(static_cast<unsigned>(value)); }
#elif defined(__aarch64__)
  /// FPCR: flush to zero, rounding mode, handling of subnormal numbers (FEAT_AFP).
  static constexpr Control unusual = Control{1} << 24 | Control{3} << 22 | 3;
  static Control control() {
    Control value = 0;
    asm volatile("mrs %0, fpcr" : "=r"(value)::"memory");
    return value;
  }
  static void set(Control value) { asm volatile("msr fpcr, %0" ::"r"(value) : "memory"); }
#else
  static constexpr Control unusual = 0;
  static Control control() { return 0; }
  static void set(Control) {}
#endif
  [[maybe_unused]] Control found_ = 0;
};

}  // namespace tessera::backends::host
