// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

namespace tessera::test {

/// An instance of Exec beside the default one. It is asked for alone: where OpenMP has one thread,
/// Kokkos 4 stops a program that asks for two.
template <class Exec>
Exec instance_of_its_own() {
  return Kokkos::Experimental::partition_space(Exec(), 1)[0];
}

}  // namespace tessera::test
