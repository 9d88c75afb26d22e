// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <python/arrays.hpp>
#include <string_view>

/// The caller has checked types, places and shapes. Complete on return on a host, queued in the
/// stream on a GPU.
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

/// C = alpha·Aᵀ·f(A·v) + beta·z, for a vector or a block. `a` may be narrow; vectors are then
/// float32.
struct AtaxCall {
  Array a;
  Array v;
  std::optional<Array> b{};
  Array c;
  std::string_view map{};  ///< of maps::name_of; empty: the identity
  std::optional<Array> of_map{};
  double alpha = 1;
  double beta = 0;
  std::optional<Array> z{};
};

void atax(AtaxCall const& call);
/// For a vector or a block. `a` may be narrow, as in AtaxCall.
void product(Array const& a, Product product, Array const& x, Array const& y);
/// y = A·x and w = Aᵀ·u
void multiply_both(Array const& a, Array const& x, Array const& u, Array const& y, Array const& w);
/// C = A·B
void gemm(Array const& a, Array const& b, Array const& c);
/// At = Aᵀ, elements of 4 or 8 bytes
void transpose(Array const& a, Array const& at);
/// x·y
double dot(Array const& x, Array const& y);
/// y = a·x + b·y
void axpby(double a, Array const& x, double b, Array const& y);

}  // namespace tessera::python
