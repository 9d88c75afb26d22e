// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Independent looks at solutions: sums of higher precision over the rows of the file.

#include <algorithm>
#include <check/precise.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <app/solve/precise_rows.hpp>
#include <app/solve/solve.hpp>
#include <io/chunked_read.hpp>
#include <io/matrix_reader.hpp>
#include <io/types.hpp>

namespace tessera::app {
namespace {

template <class T>
double norm_of(io::VectorView<T> const& x) {
  Sums sums(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) sums[i].high = static_cast<double>(x(i));
  return sums.norm();
}

template <class T>
Residual residual_in(io::MatrixReader const& reader, io::VectorView<T> const& x,
                     io::VectorView<T> const& b, double damp, int e = 0) {
  io::MatrixInfo const& info = reader.info();
  double largest = 0;
  Sums gradient(info.cols);
  Sums all(info.rows);
  DoubleDouble square;  // of ‖A‖
  auto const scaled_x = [&](std::uint64_t j) { return std::scalbn(static_cast<double>(x(j)), e); };
  for_each_row<T>(reader, "checking x", e, [&](std::uint64_t i, RowOfBlock<T> const& row) {
    Sums r(1);
    r[0].high = static_cast<double>(b(i));
    for (std::uint64_t j = 0; j < info.cols; ++j) {
      double const a = row(j);
      largest = std::max(largest, std::fabs(a));
      r.add(0, -a, {.high = scaled_x(j)});
      square = add(square, two_product(a, a));
    }
    for (std::uint64_t j = 0; j < info.cols; ++j) gradient.add(j, row(j), r[0]);
    all[i] = r[0];
  });
  // Once more, beside the size of the elements of A and damp·I.
  if (int const far = far_exponent(std::max(largest, damp)); far != 0 && e == 0) {
    return residual_in<T>(reader, x, b, damp, far);
  }
  double const scaled_damp = std::scalbn(damp, -e);
  DoubleDouble const penalty = two_product(scaled_damp, scaled_damp);
  Sums solution(info.cols);
  for (std::uint64_t j = 0; j < info.cols; ++j) {
    solution[j].high = scaled_x(j);
    gradient.add(j, -scaled_x(j), penalty);
  }
  return {.normr = all.norm(),
          .gradient = gradient.norm(),
          .norma = std::sqrt(square.high),
          .normb = norm_of<T>(b),
          .normx = solution.norm(),
          .damp = scaled_damp};
}

}  // namespace

double rounding_of(io::ScalarType type) {
  return type == io::ScalarType::f32 ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                     : std::numeric_limits<double>::epsilon();
}

Residual residual_of(io::MatrixReader const& reader, io::HostVector const& x,
                     io::HostVector const& b, double damp) {
  return std::visit(
      [&]<class T>(io::VectorView<T> const& found) {
        return residual_in<T>(reader, found, std::get<io::VectorView<T>>(b), damp);
      },
      x);
}

ResidualCheck check_least_squares(LeastSquaresOptions const& options,
                                  io::MatrixReader const& reader, io::ScalarType type,
                                  io::HostVector const& x, io::HostVector const& b) {
  double const rounding = rounding_of(type);
  Residual const r = residual_of(reader, x, b, damp_of(options));
  double const damp = r.damp;
  // Of the problem with damp·I below A.
  double const norma =
      std::hypot(r.norma, damp * std::sqrt(static_cast<double>(reader.info().cols)));
  double const normr = std::hypot(r.normr, damp * r.normx);
  double const product = norma * normr;
  bool const directly = is_direct(options, reader.info());
  auto const [atol, btol, conlim] =
      directly ? StoppingBounds{0, 0, 0} : stopping_bounds(options, type);
  double const moved = normr > 0 ? (norma * r.normx + r.normb) / normr : 0;
  return {
      .found = r,
      .gradient = product == 0 ? 0 : r.gradient / product,
      .gradient_below = 10 * (atol + rounding * (1 + (directly ? moved : 0))),
      .residual = normr,
      .residual_below = 10 * ((btol + rounding) * r.normb + (atol + rounding) * norma * r.normx)};
}

namespace {

/// Half a row's deviance at η, and its derivatives, in long double.
struct RowDerivatives {
  long double value;
  long double first;
  long double second;
};
/// Of gamma and Tweedie with the logarithm as link; y's own loss is taken off.
RowDerivatives derivatives_of_power(long double power, long double eta, long double y) {
  long double const a = 1 - power;
  long double const b = 2 - power;
  long double const rate = std::exp(b * eta);
  if (!(y > 0)) return {rate / b, rate, b * rate};
  auto const beyond_line = [](long double t) { return std::expm1(t) - t; };
  long double const t = eta - std::log(y);
  long double const of_b = b == 0 ? 0 : beyond_line(b * t) / b;
  long double const fall = y * std::exp(a * eta);
  return {std::pow(y, b) * (of_b - beyond_line(a * t) / a), rate - fall,
          b < 0 ? rate : b * rate - a * fall};
}
RowDerivatives derivatives(FitOptions const& options, DoubleDouble at, double y) {
  RegressionLoss const loss = options.loss;
  long double const eta = static_cast<long double>(at.high) + static_cast<long double>(at.low);
  auto const label = static_cast<long double>(y);
  if (loss == RegressionLoss::linear) {
    return {(eta - label) * (eta - label) / 2, eta - label, 1};
  }
  if (loss == RegressionLoss::logistic) {
    long double const e = std::exp(-std::fabs(eta));
    long double const above = (eta < 0 ? e : 1) / (1 + e);
    long double const below = (eta < 0 ? 1 : e) / (1 + e);
    return {std::max(eta, 0.0L) - label * eta + std::log1p(e), label == 0 ? above : -below,
            above * below};
  }
  if (loss != RegressionLoss::poisson) {
    return derivatives_of_power(static_cast<long double>(options.power.value_or(2)), eta, label);
  }
  long double const e = std::exp(eta);
  long double const own = label > 0 ? label * (1 + eta - std::log(label)) : 0;
  return {e - own, e - label, e};
}
RowDerivatives weighted(double weight, RowDerivatives const& row) {
  auto const w = static_cast<long double>(weight);
  return {w * row.value, w * row.first, w * row.second};
}
DoubleDouble in_two(long double x) {
  auto const high = static_cast<double>(x);
  return {.high = high, .low = static_cast<double>(x - static_cast<long double>(high))};
}

/// What one reading of the matrix adds up at a fit.
struct SumsOfFit {
  Sums first;    ///< the derivative times each column, then times 1
  Sums second;   ///< the weight times each column, then times 1
  Sums squares;  ///< the weight times each column's squares
  long double deviance = 0;

  explicit SumsOfFit(std::size_t cols) : first(cols + 1), second(cols + 1), squares(cols) {}
};

template <class T>
SumsOfFit sums_of_fit(FitOptions const& options, io::MatrixReader const& reader, Fit const& fit,
                      FitRows const& rows) {
  std::uint64_t const cols = reader.info().cols;
  auto const& x = std::get<io::VectorView<T>>(fit.x);
  auto const& y = std::get<io::VectorView<T>>(rows.y);
  auto const entry = [](std::optional<io::HostVector> const& of, std::uint64_t i, double none) {
    return of ? static_cast<double>(std::get<io::VectorView<T>>(*of)(i)) : none;
  };
  SumsOfFit sums(cols);
  for_each_row<T>(reader, "checking x", 0, [&](std::uint64_t i, RowOfBlock<T> const& row) {
    Sums eta(1);
    eta[0].high = fit.intercept;
    for (std::uint64_t j = 0; j < cols; ++j) {
      eta.add(0, row(j), {.high = static_cast<double>(x(j))});
    }
    eta.add(0, 1, {.high = entry(rows.offset, i, 0)});
    auto const at = weighted(entry(rows.weights, i, 1),
                             derivatives(options, eta[0], static_cast<double>(y(i))));
    sums.deviance += 2 * at.value;
    DoubleDouble const first = in_two(at.first);
    // Norms of the iterative methods are those of the columns alone.
    DoubleDouble const second = fit.is_newton ? in_two(at.second) : DoubleDouble{.high = 1};
    for (std::uint64_t j = 0; j < cols; ++j) {
      sums.first.add(j, row(j), first);
      sums.second.add(j, row(j), second);
      sums.squares.add(j, row(j), times(row(j), second));
    }
    sums.first.add(cols, 1, first);
    sums.second.add(cols, 1, second);
  });
  return sums;
}

/// Each column's gradient beside the norm of the column and the root of the deviance, or beside
/// what rounding leaves of it. Columns are centred where there is an intercept.
template <class T>
GradientCheck check_in(FitOptions const& options, io::MatrixReader const& reader, Fit const& fit,
                       FitRows const& rows) {
  auto const sums = sums_of_fit<T>(options, reader, fit, rows);
  std::size_t const cols = reader.info().cols;
  auto const& x = std::get<io::VectorView<T>>(fit.x);
  double const all = sums.second[cols].high;
  std::vector<double> gradient;
  std::vector<double> norms;
  std::vector<double> sizes;
  for (std::size_t j = 0; j < cols; ++j) {
    DoubleDouble of_column = sums.first[j];
    DoubleDouble square = sums.squares[j];
    if (options.has_intercept && all > 0) {
      double const mean = sums.second[j].high / all;
      of_column = add(of_column, times(-mean, sums.first[cols]));
      square = add(square, times(-mean, sums.second[j]));
    }
    of_column = add(of_column, two_product(options.penalty, static_cast<double>(x(j))));
    gradient.push_back(of_column.high);
    norms.push_back(std::sqrt(std::max(0.0, square.high) + options.penalty));
    sizes.push_back(std::sqrt(sums.squares[j].high + options.penalty));
  }
  gradient.push_back(options.has_intercept ? sums.first[cols].high : 0);
  norms.push_back(std::sqrt(all));
  sizes.push_back(std::sqrt(all));
  // x is rounded to its type, and each product with A to that of the sums.
  double rounded = 0;
  double predictor = std::fabs(fit.intercept) * std::sqrt(all);
  for (std::size_t j = 0; j < cols; ++j) {
    rounded += std::fabs(static_cast<double>(x(j))) * norms[j];
    predictor += std::fabs(static_cast<double>(x(j))) * sizes[j];
  }
  double const of_type = rounding_of(io::scalar_type<T>);
  double const of_sums = fit.is_newton ? std::numeric_limits<double>::epsilon() : of_type;
  double const root = std::sqrt(static_cast<double>(sums.deviance));
  double largest = 0;
  auto const& errors = fit.standard_errors;
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    // A column that depends on the others as far as float can tell has no error.
    bool const depends = j < errors.size() && std::isnan(errors[j]);
    double const of_rounding = depends ? std::sqrt(64 * std::numeric_limits<double>::epsilon() *
                                                   (static_cast<double>(cols) + 1))
                                       : 0;
    double const small = of_rounding * norms[j] * root + fit.bound * norms[j] * root +
                         of_type * norms[j] * rounded +
                         32 * of_sums * sizes[j] * (root + predictor);
    double const found = std::fabs(gradient[j]);
    double const ratio = found == 0 ? 0 : found / small;
    largest = ratio <= largest ? largest : ratio;
  }
  return {.gradient = largest * fit.bound, .gradient_below = 2 * fit.bound};
}

}  // namespace

GradientCheck check_fit(FitOptions const& options, io::MatrixReader const& reader,
                        io::ScalarType type, Fit const& fit, FitRows const& rows) {
  return type == io::ScalarType::f32 ? check_in<float>(options, reader, fit, rows)
                                     : check_in<double>(options, reader, fit, rows);
}

}  // namespace tessera::app
