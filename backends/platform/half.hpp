// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if __has_include(<stdfloat>)
#include <stdfloat>
#endif

#include <Kokkos_Core.hpp>

/// Types of 16 bits that this compiler, and Kokkos with these backends, define. Kokkos uses float
/// in place of a missing one.
namespace tessera::backends {

template <int>
struct NoSuchType {};

#if KOKKOS_HALF_T_IS_FLOAT
using KokkosHalf = NoSuchType<0>;
#else
using KokkosHalf = Kokkos::Experimental::half_t;
#endif
#if KOKKOS_BHALF_T_IS_FLOAT
using KokkosBhalf = NoSuchType<1>;
#else
using KokkosBhalf = Kokkos::Experimental::bhalf_t;
#endif
#if defined(__STDCPP_FLOAT16_T__)
using StdFloat16 = std::float16_t;
#else
using StdFloat16 = NoSuchType<2>;
#endif
#if defined(__STDCPP_BFLOAT16_T__)
using StdBfloat16 = std::bfloat16_t;
#else
using StdBfloat16 = NoSuchType<3>;
#endif

}  // namespace tessera::backends
