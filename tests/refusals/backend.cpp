// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Claims to be accelerated, lacks required members.

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>

namespace {

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
