// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/problem.hpp>
#include <cstdint>

#include <Kokkos_Core.hpp>

/// An element-wise user's kernel between two products.
namespace tessera::bench {

template <class T>
struct Weigh {
  T* B;
  T const* w;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { B[i] *= w[i]; }
};

template <class T>
struct LogisticResidual {
  T* B;
  T const* y;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    B[i] = T(1) / (T(1) + Kokkos::exp(-B[i])) - y[i];
  }
};

template <template <class> class Body, class Exec, class T>
void change_between(Problem<Exec, T> const& p) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for("bench::between", Policy(p.exec, 0, p.shape.rows),
                       Body<T>{p.B.data(), p.b.data()});
}

}  // namespace tessera::bench
