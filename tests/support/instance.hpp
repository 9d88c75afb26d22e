// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

namespace tessera::test {

/// Request it once: with one OpenMP thread, Kokkos 4 aborts a program that requests two.
template <class Exec>
Exec instance_of_its_own() {
  return Kokkos::Experimental::partition_space(Exec(), 1)[0];
}

}  // namespace tessera::test
