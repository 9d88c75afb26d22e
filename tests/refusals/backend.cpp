// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// A backend that says it has kernels of its own, and lacks what they need.

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>

namespace {

/// An execution space with memory of the host.
struct Elsewhere {
  using execution_space = Elsewhere;
  using memory_space = Kokkos::HostSpace;
};

}  // namespace

template <>
struct tessera::backends::Backend<Elsewhere> {
  static constexpr bool is_accelerated = true;
  static constexpr bool is_gpu = false;
};

#include <tessera/tessera.hpp>

static_assert(tessera::ExecutionSpace<Elsewhere>);
