// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/summation.hpp>

namespace tessera::test {

template <class T>
struct Weights {
  T const* weight;
  KOKKOS_FUNCTION T operator()(summation::Index i, T value) const { return weight[i] * value; }
};

}  // namespace tessera::test
