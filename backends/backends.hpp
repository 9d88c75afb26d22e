// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backend.hpp>

// The only place, beside devices.hpp, that asks which backends Kokkos was built with.
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

/// Every backend of this build that Tessera supports: a list `Spaces`.
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

/// Whether Tessera knows the execution space `Exec`.
template <class Exec>
concept HasBackend = requires { Backend<Exec>::is_gpu; };

/// Calls visit(std::type_identity<Exec>{}) for every backend of this build that Tessera supports.
template <class Visitor>
void for_each_backend(Visitor&& visit) {
  [&]<class... Exec>(Spaces<Exec...>) { (visit(std::type_identity<Exec>{}), ...); }(Enabled{});
}

}  // namespace tessera::backends
