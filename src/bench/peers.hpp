// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/problem.hpp>
#include <bench/table.hpp>
#include <cstdint>
#include <string>

#include <Kokkos_Core.hpp>

/// Operations by a library's two products of a matrix and a vector.
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

/// An element-wise user's kernel between two products.
template <template <class> class Body, class Exec, class T>
void change_between(Problem<Exec, T> const& p) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for("bench::between", Policy(p.exec, 0, p.shape.rows),
                       Body<T>{p.B.data(), p.b.data()});
}

/// @param products_of returns, for a problem, multiply(call, x), which writes p.B, and
/// multiply_transposed(call, x), which writes p.C
template <class Exec, class T, class ProductsOf>
void add_products_of(std::string const& name, Layout layout, ProductsOf const& products_of) {
  using P = Problem<Exec, T>;
  auto const add = [&](std::string const& operation, int reads, auto const& run) {
    add_peer<Exec, T>(operation, name, layout, reads, [=](P const& p, Launch const&) -> Work {
      auto const products = products_of(p);
      return [=, &p](int call) { run(products, p, call); };
    });
  };
  add("atax", 2, [](auto const& products, P const& p, int call) {
    products.multiply(call, p.v);
    products.multiply_transposed(call, p.B);
  });
  add("aatx", 2, [](auto const& products, P const& p, int call) {
    products.multiply_transposed(call, p.b);
    products.multiply(call, p.C);
  });
  add("weights", 2, [](auto const& products, P const& p, int call) {
    products.multiply(call, p.v);
    change_between<Weigh>(p);
    products.multiply_transposed(call, p.B);
  });
  add("logistic", 2, [](auto const& products, P const& p, int call) {
    products.multiply(call, p.v);
    change_between<LogisticResidual>(p);
    products.multiply_transposed(call, p.B);
  });
  add("multiply", 1,
      [](auto const& products, P const& p, int call) { products.multiply(call, p.v); });
  add("multiply_both", 2, [](auto const& products, P const& p, int call) {
    products.multiply(call, p.v);
    products.multiply_transposed(call, p.b);
  });
  add("multiply_transposed", 1,
      [](auto const& products, P const& p, int call) { products.multiply_transposed(call, p.b); });
}

}  // namespace tessera::bench
