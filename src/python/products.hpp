// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <python/operations.hpp>

#include <tessera/aatx.hpp>
#include <tessera/multiply.hpp>
#include <tessera/multiply_transposed.hpp>
#include <tessera/stream/aatx.hpp>

namespace tessera::python {

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
