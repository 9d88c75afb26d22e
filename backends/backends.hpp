// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backend.hpp>

// Only this header and devices.hpp depend on the backends that Kokkos was built with.
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

/// Execution spaces of a build, as a list of types.
template <class... Exec>
struct Spaces {
  template <class... More>
  friend constexpr Spaces<Exec..., More...> operator+(Spaces, Spaces<More...>) {
    return {};
  }
};

/// The backends of this build that have a folder here, as a list `Spaces`.
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

/// Whether a backend has accelerated kernels in addition to the portable ones.
template <class Exec>
concept IsAccelerated = Backend<Exec>::is_accelerated;

/// Team counters per workspace. Hosts use one; 16 fill a cache line.
template <class Exec>
inline constexpr Index counters = Backend<Exec>::is_gpu ? 1024 : 16;

/// Accelerated products with a vector (backends/accelerated).
template <class Exec>
struct AcceleratedProducts;

/// Calls visit(std::type_identity<Exec>{}) for each of the backends.
template <class Visitor>
void for_each_backend(Visitor&& visit) {
  [&]<class... Exec>(Spaces<Exec...>) { (visit(std::type_identity<Exec>{}), ...); }(Enabled{});
}

}  // namespace tessera::backends
