// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/summation.hpp>

/// The map of ATAX: factor(i, value) multiplies row i in the second product; `value` is its entry
/// of the first.
namespace tessera::kernels {

struct Identity {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(summation::Index /*i*/, T value) const {
    return value;
  }
};

template <class Factor>
inline constexpr bool is_identity = std::is_same_v<Factor, Identity>;

inline Identity shifted(Identity const& factor, summation::Index /*first*/) {
  return factor;
}

}  // namespace tessera::kernels
