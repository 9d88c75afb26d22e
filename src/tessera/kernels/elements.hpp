// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/kernels/teams.hpp>

/// Kernels that compute each element independently.
namespace tessera::detail {

/// Compares bits, even if the thread flushes subnormal numbers.
template <class T>
bool differ(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Bits>(a) != std::bit_cast<Bits>(b);
}

/// True for +0 and -0; see differ.
template <class T>
bool is_zero(T value) {
  return !differ(value, T(0)) || !differ(value, -T(0));
}

/// A copy, so that writes to elements cannot alias it. `loaded()` returns a copy with the values
/// that all elements read.
template <class Body>
KOKKOS_FUNCTION Body of_block(Body const& body) {
  if constexpr (requires { body.loaded(); }) {
    return body.loaded();
  } else {
    return body;
  }
}

template <class Body>
struct OnElements {
  Body body;
  Index count;
  Index size;

  KOKKOS_FUNCTION void operator()(Index block) const {
    backends::host::OrdinaryArithmetic const mode;
    Body const own = of_block(body);
    Index const end = Kokkos::min(count, (block + 1) * size);
    for (Index i = block * size; i < end; ++i) own(i);
  }
};

template <class Exec, class Body>
void for_each_element(Exec const& exec, std::string const& label, Index count, Body const& body) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>;
  if constexpr (!teams_of_one<Exec>) {
    detail::launch(label, Policy(exec, 0, count), body);
  } else {
    constexpr Index most = 4096;
    Index const size =
        std::clamp(summation::ceil_div(count, Index{4} * exec.concurrency()), Index{1}, most);
    detail::launch(label, Policy(exec, 0, summation::ceil_div(count, size)),
                   OnElements<Body>{body, count, size});
  }
}

}  // namespace tessera::detail
