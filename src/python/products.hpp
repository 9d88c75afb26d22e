// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tessera/aatx.hpp>
#include <tessera/multiply.hpp>
#include <tessera/multiply_transposed.hpp>
#include <tessera/stream/aatx.hpp>

namespace tessera::python {

/// With one input and one result, for a vector or a block.
enum class Product {
  plain,       ///< A·x
  transposed,  ///< Aᵀ·x
  aatx,        ///< A·(Aᵀ·x)
};

[[nodiscard]] constexpr bool takes_rows(Product product) {
  return product != Product::plain;
}
[[nodiscard]] constexpr bool gives_rows(Product product) {
  return product != Product::transposed;
}

/// @param a a View or a source
template <class Exec, class A, class X, class Y, class Options>
void compute(Product product, Exec const& exec, A const& a, X const& x, Y const& y,
             Options const& options) {
  using stream::aatx, tessera::aatx, stream::multiply, tessera::multiply;
  using stream::multiply_transposed, tessera::multiply_transposed;
  switch (product) {
    case Product::plain:
      multiply(exec, a, x, y, options);
      break;
    case Product::transposed:
      multiply_transposed(exec, a, x, y, options);
      break;
    case Product::aatx:
      aatx(exec, a, x, y, options);
      break;
  }
}

}  // namespace tessera::python
