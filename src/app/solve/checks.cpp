// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

// Independent, in double-double: docs/stopping.md.

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
  std::vector<double> squares(info.cols);
  Sums gradient(info.cols);
  Sums all(info.rows);
  DoubleDouble square;  // ‖A‖²
  auto const scaled_x = [&](std::uint64_t j) { return std::scalbn(static_cast<double>(x(j)), e); };
  for_each_row<T>(reader, "checking x", e, [&](std::uint64_t i, RowOfBlock<T> const& row) {
    Sums r(1);
    r[0].high = static_cast<double>(b(i));
    for (std::uint64_t j = 0; j < info.cols; ++j) {
      double const a = row(j);
      largest = std::max(largest, std::fabs(a));
      r.add(0, -a, {.high = scaled_x(j)});
      square = add(square, two_product(a, a));
      squares[j] = std::fma(a, a, squares[j]);
    }
    for (std::uint64_t j = 0; j < info.cols; ++j) gradient.add(j, row(j), r[0]);
    all[i] = r[0];
  });
  // Keeps squares in range.
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
  Residual found{.normr = all.norm(),
                 .gradient = gradient.norm(),
                 .norma = std::sqrt(square.high),
                 .normb = norm_of<T>(b),
                 .normx = solution.norm(),
                 .damp = scaled_damp};
  for (std::uint64_t j = 0; j < info.cols; ++j) {
    found.gradients.push_back(gradient[j].high);
    found.norms.push_back(std::sqrt(std::fma(scaled_damp, scaled_damp, squares[j])));
    found.sizes.push_back(std::fabs(solution[j].high));
  }
  return found;
}

/// @param normr with damp's rows
/// @param tolerances with rounding
ColumnCheck check_columns(Residual const& r, double normr, StoppingBounds const& tolerances,
                          double rounding) {
  double predictor = 0;  // Σ ‖a_j‖·|x_j|, no cancellation between columns
  for (std::size_t j = 0; j < r.norms.size(); ++j) predictor += r.norms[j] * r.sizes[j];
  double const below = 10 * tolerances.atol;
  double const residual_below = 10 * (tolerances.btol * r.normb + tolerances.atol * predictor);
  double const least = 10 * rounding * (r.normb + predictor);
  ColumnCheck worst;
  for (std::size_t j = 0; j < r.norms.size(); ++j) {
    double const gradient = r.norms[j] > 0 ? std::fabs(r.gradients[j]) / r.norms[j] : 0;
    if (!(gradient > least)) continue;
    ColumnCheck const here{.column = static_cast<std::int64_t>(j),
                           .gradient = gradient / normr,
                           .gradient_below = normr <= residual_below ? 1 : below,
                           .move = r.sizes[j] > 0 ? gradient / (r.norms[j] * r.sizes[j])
                                                  : std::numeric_limits<double>::infinity()};
    bool const is_worse = here.passed() == worst.passed() ? here.move > worst.move : !here.passed();
    if (worst.column < 0 || is_worse) worst = here;
  }
  return worst;
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
  Residual const r = residual_of(reader, x, b, damps_of(options).front());
  double const damp = r.damp;
  // Norms with damp·I below A.
  double const norma =
      std::hypot(r.norma, damp * std::sqrt(static_cast<double>(reader.info().cols)));
  double const normr = std::hypot(r.normr, damp * r.normx);
  double const product = norma * normr;
  bool const directly = is_direct(options, reader.info());
  auto const [atol, btol, conlim] =
      directly ? StoppingBounds{0, 0, 0} : stopping_bounds(options, type);
  double const moved = normr > 0 ? (norma * r.normx + r.normb) / normr : 0;
  StoppingBounds const tolerances{atol + rounding, btol + rounding, conlim};
  return {
      .found = r,
      .column = check_columns(r, normr, tolerances, rounding),
      .gradient = product == 0 ? 0 : r.gradient / product,
      .gradient_below = 10 * (atol + rounding * (1 + (directly ? moved : 0))),
      .residual = normr,
      .residual_below = 10 * ((btol + rounding) * r.normb + (atol + rounding) * norma * r.normx)};
}

namespace {

/// Half the deviance of a row.
struct RowDerivatives {
  long double value;
  long double first;
  long double second;
};
/// Log link, without the deviance of a perfect fit.
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
long double value_of(DoubleDouble x) {
  return static_cast<long double>(x.high) + static_cast<long double>(x.low);
}
/// By each class's η; the first entry also has the loss.
std::vector<RowDerivatives> derivatives_of_classes(Sums const& at, std::size_t classes,
                                                   std::size_t own) {
  std::vector<RowDerivatives> found(classes);
  std::vector<long double> odds(classes);  // relative to the largest
  long double largest = value_of(at[0]);
  for (std::size_t k = 1; k < classes; ++k) largest = std::max(largest, value_of(at[k]));
  long double sum = 0;
  for (std::size_t k = 0; k < classes; ++k) sum += odds[k] = std::exp(value_of(at[k]) - largest);
  long double others_of_own = 0;
  for (std::size_t k = 0; k < classes; ++k) {
    long double others = 0;
    for (std::size_t l = 0; l < classes; ++l) others += l == k ? 0 : odds[l];
    found[k] = {0, (k == own ? -others : odds[k]) / sum, odds[k] * others / (sum * sum)};
    if (k == own) others_of_own = others;
  }
  found[0].value = value_of(at[own]) == largest ? std::log1p(others_of_own)
                                                : largest - value_of(at[own]) + std::log(sum);
  return found;
}
RowDerivatives derivatives(FitOptions const& options, DoubleDouble at, double y) {
  RegressionLoss const loss = options.loss;
  long double const eta = value_of(at);
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

/// For one linear predictor.
struct SumsOfFit {
  Sums first;    ///< Σ first derivative × column, then × 1
  Sums second;   ///< Σ weight × column, then × 1
  Sums squares;  ///< Σ weight × column²

  explicit SumsOfFit(std::size_t cols) : first(cols + 1), second(cols + 1), squares(cols) {}

  template <class T>
  void add(RowOfBlock<T> const& row, DoubleDouble of_first, DoubleDouble of_second) {
    std::uint64_t const cols = squares.size();
    for (std::uint64_t j = 0; j < cols; ++j) {
      first.add(j, row(j), of_first);
      second.add(j, row(j), of_second);
      squares.add(j, row(j), times(row(j), of_second));
    }
    first.add(cols, 1, of_first);
    second.add(cols, 1, of_second);
  }
};

double intercept_of(Fit const& fit, std::size_t k) {
  return fit.intercepts.empty() ? fit.intercept : fit.intercepts[k];
}

/// @param deviance is overwritten
template <class T>
std::vector<SumsOfFit> sums_of_fit(FitOptions const& options, io::MatrixReader const& reader,
                                   Fit const& fit, FitRows const& rows, long double& deviance) {
  std::uint64_t const cols = reader.info().cols;
  auto const predictors = static_cast<std::size_t>(rows.predictors());
  auto const& x = std::get<io::VectorView<T>>(fit.x);
  auto const& y = std::get<io::VectorView<T>>(rows.y);
  auto const entry = [](std::optional<io::HostVector> const& of, std::uint64_t i, double none) {
    return of ? static_cast<double>(std::get<io::VectorView<T>>(*of)(i)) : none;
  };
  std::vector<SumsOfFit> sums(predictors, SumsOfFit(cols));
  deviance = 0;
  for_each_row<T>(reader, "checking x", 0, [&](std::uint64_t i, RowOfBlock<T> const& row) {
    Sums eta(predictors);
    for (std::size_t k = 0; k < predictors; ++k) {
      eta[k].high = intercept_of(fit, k);
      for (std::uint64_t j = 0; j < cols; ++j) {
        eta.add(k, row(j), {.high = static_cast<double>(x(k * cols + j))});
      }
      eta.add(k, 1, {.high = entry(rows.offset, i, 0)});
    }
    auto const label = static_cast<double>(y(i));
    auto const all = predictors > 1
                         ? derivatives_of_classes(eta, predictors, static_cast<std::size_t>(label))
                         : std::vector{derivatives(options, eta[0], label)};
    for (std::size_t k = 0; k < predictors; ++k) {
      auto const at = weighted(entry(rows.weights, i, 1), all[k]);
      deviance += 2 * at.value;
      // Iterative methods use the norms of columns alone.
      sums[k].add(row, in_two(at.first),
                  fit.is_newton ? in_two(at.second) : DoubleDouble{.high = 1});
    }
  });
  return sums;
}

struct GradientOfFit {
  std::vector<double> gradient;
  std::vector<double> norms;  ///< centred with an intercept
  std::vector<double> sizes;  ///< not centred
};

template <class T>
GradientOfFit gradient_of(FitOptions const& options, SumsOfFit const& sums, T const* x) {
  GradientOfFit found;
  std::size_t const cols = sums.squares.size();
  double const all = sums.second[cols].high;
  for (std::size_t j = 0; j < cols; ++j) {
    DoubleDouble of_column = sums.first[j];
    DoubleDouble square = sums.squares[j];
    if (options.has_intercept && all > 0) {
      double const mean = sums.second[j].high / all;
      of_column = add(of_column, times(-mean, sums.first[cols]));
      square = add(square, times(-mean, sums.second[j]));
    }
    of_column = add(of_column, two_product(options.penalty, static_cast<double>(x[j])));
    found.gradient.push_back(of_column.high);
    found.norms.push_back(std::sqrt(std::max(0.0, square.high) + options.penalty));
    found.sizes.push_back(std::sqrt(sums.squares[j].high + options.penalty));
  }
  found.gradient.push_back(options.has_intercept ? sums.first[cols].high : 0);
  found.norms.push_back(std::sqrt(all));
  found.sizes.push_back(std::sqrt(all));
  return found;
}

/// Compares gradients with column norm times root of the deviance, or with their rounding.
template <class T>
GradientCheck check_in(FitOptions const& options, io::MatrixReader const& reader, Fit const& fit,
                       FitRows const& rows) {
  long double deviance = 0;
  auto const sums = sums_of_fit<T>(options, reader, fit, rows, deviance);
  std::size_t const cols = reader.info().cols;
  auto const& x = std::get<io::VectorView<T>>(fit.x);
  std::vector<GradientOfFit> found;
  // x is rounded to its type, products to the type of the sums.
  double rounded = 0;
  double predictor = 0;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    found.push_back(gradient_of(options, sums[k], x.data() + k * cols));
    predictor += std::fabs(intercept_of(fit, k)) * found[k].sizes[cols];
    for (std::size_t j = 0; j < cols; ++j) {
      double const size = std::fabs(static_cast<double>(x(k * cols + j)));
      rounded += size * found[k].norms[j];
      predictor += size * found[k].sizes[j];
    }
  }
  double const of_type = rounding_of(io::scalar_type<T>);
  double const of_sums = fit.is_newton ? std::numeric_limits<double>::epsilon() : of_type;
  double const root = std::sqrt(static_cast<double>(deviance));
  double largest = 0;
  auto const& errors = fit.standard_errors;
  for (auto const& [gradient, norms, sizes] : found) {
    for (std::size_t j = 0; j < gradient.size(); ++j) {
      // A column that depends on others within float precision has no standard error.
      bool const depends = j < errors.size() && std::isnan(errors[j]);
      double const of_rounding = depends ? std::sqrt(64 * std::numeric_limits<double>::epsilon() *
                                                     (static_cast<double>(cols) + 1))
                                         : 0;
      double const small = of_rounding * norms[j] * root + fit.bound * norms[j] * root +
                           of_type * norms[j] * rounded +
                           32 * of_sums * sizes[j] * (root + predictor);
      double const size = std::fabs(gradient[j]);
      double const ratio = size == 0 ? 0 : size / small;
      largest = ratio <= largest ? largest : ratio;
    }
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
