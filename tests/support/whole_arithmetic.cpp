// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/whole_arithmetic.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace tessera::test::whole {
namespace {

using Whole = std::int64_t;

template <class T>
Whole to_whole(T x) {
  auto const whole = static_cast<Whole>(x);
  if (static_cast<T>(whole) != x) throw std::logic_error("not a whole number");
  return whole;
}

/// Magnitudes bound every partial sum.
struct Sum {
  Whole value = 0;
  Whole magnitude = 0;

  void add(Whole x) {
    value += x;
    magnitude += std::abs(x);
  }
};

template <class T>
std::vector<T> exact_values(std::vector<Sum> const& sums) {
  constexpr Whole greatest = Whole{1} << std::numeric_limits<T>::digits;
  std::vector<T> values;
  values.reserve(sums.size());
  for (Sum const& sum : sums) {
    if (sum.magnitude > greatest) throw std::logic_error("too large to be exact in every order");
    values.push_back(static_cast<T>(sum.value));
  }
  return values;
}

template <class T>
std::vector<T> add_up(HostMatrix<T> const& A, std::vector<T> const& x, bool one_sum_per_line) {
  std::vector<Whole> factors;
  for (T const value : x) factors.push_back(to_whole(value));
  std::vector<Sum> sums(static_cast<std::size_t>(one_sum_per_line ? A.count() : A.length()));
  for (Index i = 0; i < A.count(); ++i) {
    for (Index j = 0; j < A.length(); ++j) {
      auto const result = static_cast<std::size_t>(one_sum_per_line ? i : j);
      auto const factor = static_cast<std::size_t>(one_sum_per_line ? j : i);
      sums[result].add(to_whole(A.line(i)[j]) * factors[factor]);
    }
  }
  return exact_values<T>(sums);
}

}  // namespace

template <std::floating_point T>
std::vector<T> multiply(HostMatrix<T> const& A, std::vector<T> const& v) {
  return add_up(A, v, A.order() == Order::row_major);
}

template <std::floating_point T>
std::vector<T> multiply_transposed(HostMatrix<T> const& A, std::vector<T> const& B) {
  return add_up(A, B, A.order() == Order::column_major);
}

template <std::floating_point T>
std::vector<T> atax(HostMatrix<T> const& A, std::vector<T> const& v) {
  return multiply_transposed(A, multiply(A, v));
}

template std::vector<float> multiply(HostMatrix<float> const&, std::vector<float> const&);
template std::vector<double> multiply(HostMatrix<double> const&, std::vector<double> const&);
template std::vector<float> multiply_transposed(HostMatrix<float> const&,
                                                std::vector<float> const&);
template std::vector<double> multiply_transposed(HostMatrix<double> const&,
                                                 std::vector<double> const&);
template std::vector<float> atax(HostMatrix<float> const&, std::vector<float> const&);
template std::vector<double> atax(HostMatrix<double> const&, std::vector<double> const&);

}  // namespace tessera::test::whole
