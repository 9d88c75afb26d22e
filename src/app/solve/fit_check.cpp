// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <variant>

#include <app/solve/fit.hpp>
#include <app/solve/precise_rows.hpp>

namespace tessera::app {
namespace {

/// The derivative of a row's loss by η = at, where the row's label is y.
DoubleDouble derivative(RegressionLoss loss, DoubleDouble at, double y) {
  long double const eta = static_cast<long double>(at.high) + static_cast<long double>(at.low);
  long double value = eta;
  if (loss == RegressionLoss::poisson) value = std::exp(eta);
  if (loss == RegressionLoss::logistic) value = 1 / (1 + std::exp(-eta));
  value -= static_cast<long double>(y);
  auto const high = static_cast<double>(value);
  return {.high = high, .low = static_cast<double>(value - static_cast<long double>(high))};
}

template <class T>
GradientCheck check_in(FitOptions const& options, io::MatrixReader const& reader, Fit const& fit,
                       io::HostVector const& labels) {
  std::uint64_t const cols = reader.info().cols;
  auto const& x = std::get<io::VectorView<T>>(fit.x);
  auto const& y = std::get<io::VectorView<T>>(labels);
  // Their last entries are those of the intercept.
  Sums gradient(cols + 1);
  Sums at_zero(cols + 1);
  for_each_row<T>(reader, "checking x", [&](std::uint64_t i, RowOfBlock<T> const& row) {
    Sums eta(1);
    eta[0].high = fit.intercept;
    for (std::uint64_t j = 0; j < cols; ++j) {
      eta.add(0, row(j), {.high = static_cast<double>(x(j))});
    }
    auto const label = static_cast<double>(y(i));
    DoubleDouble const here = derivative(options.loss, eta[0], label);
    DoubleDouble const there = derivative(options.loss, {}, label);
    for (std::uint64_t j = 0; j < cols; ++j) {
      gradient.add(j, row(j), here);
      at_zero.add(j, row(j), there);
    }
    if (!options.has_intercept) return;
    gradient.add(cols, 1, here);
    at_zero.add(cols, 1, there);
  });
  for (std::uint64_t j = 0; j < cols; ++j) {
    gradient.add(j, options.penalty, {.high = static_cast<double>(x(j))});
  }
  double const largest = at_zero.norm();
  io::ScalarType const type = io::scalar_type<T>;
  return {.gradient = largest > 0 ? gradient.norm() / largest : gradient.norm(),
          .gradient_below = 10 * (tolerance_of(options, type) + rounding_of(type))};
}

}  // namespace

double tolerance_of(FitOptions const& options, io::ScalarType type) {
  return options.tol > 0 ? options.tol : std::sqrt(rounding_of(type));
}

GradientCheck check_fit(FitOptions const& options, io::MatrixReader const& reader,
                        io::ScalarType type, Fit const& fit, io::HostVector const& y) {
  return type == io::ScalarType::f32 ? check_in<float>(options, reader, fit, y)
                                     : check_in<double>(options, reader, fit, y);
}

}  // namespace tessera::app
