// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backend.hpp>

// Only this header and devices.hpp depend on the backends of Kokkos.
#if defined(KOKKOS_ENABLE_SERIAL)
#include <tessera/backends/serial/serial.hpp>
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
#include <tessera/backends/openmp/openmp.hpp>
#endif
#if defined(KOKKOS_ENABLE_CUDA)
#include <tessera/backends/cuda/cuda.hpp>
#endif

namespace tessera::backends {

template <class... Exec>
struct Spaces {
  template <class... More>
  friend constexpr Spaces<Exec..., More...> operator+(Spaces, Spaces<More...>) {
    return {};
  }
};

using Enabled = decltype(Spaces<>{}
#if defined(KOKKOS_ENABLE_SERIAL)
                         + Spaces<Kokkos::Serial>{}
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
                         + Spaces<Kokkos::OpenMP>{}
#endif
#if defined(KOKKOS_ENABLE_CUDA)
                         + Spaces<Kokkos::Cuda>{}
#endif
);

template <class Exec>
concept IsAccelerated = Backend<Exec>::is_accelerated;

/// Team counters per workspace. Hosts use one; 16 fill a cache line.
template <class Exec>
inline constexpr Index counters = Backend<Exec>::is_gpu ? 1024 : 16;

template <class Exec>
struct AcceleratedProducts;

template <class Visitor>
void for_each_backend(Visitor&& visit) {
  [&]<class... Exec>(Spaces<Exec...>) { (visit(std::type_identity<Exec>{}), ...); }(Enabled{});
}

}  // namespace tessera::backends
