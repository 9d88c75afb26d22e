// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <Kokkos_Macros.hpp>

#include <tessera/backends/device.hpp>

#if defined(KOKKOS_ENABLE_CUDA)
#include <tessera/backends/cuda/devices.hpp>
#endif

/// Called before Kokkos is initialised.
namespace tessera::backends {

/// Empty if this build has no GPU backend.
inline std::optional<DeviceSurvey> survey_devices() {
#if defined(KOKKOS_ENABLE_CUDA)
  return cuda::survey_devices();
#else
  return std::nullopt;
#endif
}

inline DeviceState open_device([[maybe_unused]] int id) {
#if defined(KOKKOS_ENABLE_CUDA)
  return cuda::open_device(id);
#else
  return {.error = "this build has no backend for it", .lacks_code = true, .free = 0};
#endif
}

}  // namespace tessera::backends
