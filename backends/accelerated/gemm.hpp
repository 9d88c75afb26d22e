// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

// Includes this build's accelerated matrix products.
#if defined(KOKKOS_ENABLE_SERIAL) || defined(KOKKOS_ENABLE_OPENMP)
#include <tessera/backends/host/gemm.hpp>
#endif
#if defined(KOKKOS_ENABLE_CUDA)
#include <tessera/backends/gpu/gemm.hpp>
#endif
