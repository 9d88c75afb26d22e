// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include "support/host_matrix.hpp"

/// The error of n products is below n * 2^-100 times the sum of their magnitudes.
namespace tessera::test {

struct DoubleDouble {
  double high = 0;
  double low = 0;

  void add_product(double a, double b) {
    double const product = a * b;
    double const product_error = std::fma(a, b, -product);
    double const sum = high + product;
    double const part = sum - high;
    double const sum_error = (high - (sum - part)) + (product - part);
    double const rest = low + (product_error + sum_error);
    high = sum + rest;
    low = rest - (high - sum);
  }

  double error_of(double found) const { return (found - high) - low; }
};

struct Truth {
  std::vector<DoubleDouble> value;
  std::vector<double> magnitude;
};

template <class T>
Truth exactly(std::vector<T> const& x) {
  Truth truth;
  for (T const element : x) {
    truth.value.push_back({static_cast<double>(element), 0});
    truth.magnitude.push_back(std::abs(static_cast<double>(element)));
  }
  return truth;
}

/// Magnitudes: |A| |x| or |A^T| |x|.
template <class T>
Truth true_product(HostMatrix<T> const& A, Truth const& x, bool transposed) {
  bool const one_sum_per_line = (A.order() == Order::row_major) != transposed;
  auto const sums = static_cast<std::size_t>(one_sum_per_line ? A.count() : A.length());
  Truth truth{std::vector<DoubleDouble>(sums), std::vector<double>(sums, 0.0)};
  for (Index i = 0; i < A.count(); ++i) {
    for (Index j = 0; j < A.length(); ++j) {
      auto const result = static_cast<std::size_t>(one_sum_per_line ? i : j);
      auto const factor = static_cast<std::size_t>(one_sum_per_line ? j : i);
      auto const a = static_cast<double>(A.line(i)[j]);
      truth.value[result].add_product(a, x.value[factor].high);
      truth.value[result].add_product(a, x.value[factor].low);
      truth.magnitude[result] += std::abs(a) * x.magnitude[factor];
    }
  }
  return truth;
}

}  // namespace tessera::test
