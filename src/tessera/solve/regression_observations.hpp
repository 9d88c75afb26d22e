// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <tessera/checks.hpp>
#include <tessera/kernels/elementary.hpp>
#include <tessera/solve/regression_types.hpp>
#include <tessera/solve/tweedie.hpp>
#include <tessera/solve/values.hpp>

/// Observations on the host.
namespace tessera::solve::detail {

inline char const* name_of(Loss loss, RegressionSolver solver) {
  constexpr char const* names[][4]{
      {"linear_regression", "linear_regression by newton", "linear_regression by newton_cg",
       "linear_regression by lbfgs"},
      {"logistic_regression", "logistic_regression by newton", "logistic_regression by newton_cg",
       "logistic_regression by lbfgs"},
      {"poisson_regression", "poisson_regression by newton", "poisson_regression by newton_cg",
       "poisson_regression by lbfgs"},
      {"gamma_regression", "gamma_regression by newton", "gamma_regression by newton_cg",
       "gamma_regression by lbfgs"},
      {"tweedie_regression", "tweedie_regression by newton", "tweedie_regression by newton_cg",
       "tweedie_regression by lbfgs"},
      {"multinomial_regression", "multinomial_regression by newton",
       "multinomial_regression by newton_cg", "multinomial_regression by lbfgs"}};
  return names[static_cast<int>(loss)][static_cast<int>(solver)];
}
inline char const* name_of(Loss loss) {
  return name_of(loss, RegressionSolver::automatic);
}

inline bool is_tweedie(Loss loss) {
  return loss == Loss::gamma || loss == Loss::tweedie;
}
/// The variance is this power of the mean.
inline double power_of(Loss loss, double of_tweedie) {
  return loss == Loss::gamma ? 2 : loss == Loss::tweedie ? of_tweedie : 1;
}

struct HostObservations {
  std::vector<double> y;
  std::vector<double> weights;
  std::vector<double> offset;

  [[nodiscard]] double weight(std::size_t i) const { return weights.empty() ? 1 : weights[i]; }
  [[nodiscard]] double shift(std::size_t i) const { return offset.empty() ? 0 : offset[i]; }
  [[nodiscard]] double total_weight() const {
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += weight(i);
    return sum;
  }
};

/// Why there is no fit; Stop::converged: there may be one.
struct Obstacle {
  Stop stop = Stop::converged;
  std::string detail{};
};

inline std::string text_of(double value) {
  if (std::isnan(value)) return "a NaN";
  if (std::isinf(value)) return value < 0 ? "-infinity" : "an infinity";
  std::string text = std::to_string(value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

template <class Exec, class T>
std::vector<double> entries_of(Exec const& exec, char const* name, char const* what,
                               ConstValues<Exec, T> const& x, Index rows, bool is_optional) {
  auto const size = static_cast<Index>(x.extent(0));
  if (size != rows && !(is_optional && size == 0)) {
    checks::fail(name, std::string(what) + " must have " + std::to_string(rows) +
                           " entries, found " + std::to_string(size));
  }
  auto const entries = to_host<Exec, T>(exec, x);
  return {entries.begin(), entries.end()};
}

template <class Exec, class T>
HostObservations observations_of(Exec const& exec, Loss loss, Observations<Exec, T> const& from,
                                 Index rows) {
  char const* const name = name_of(loss);
  return {entries_of<Exec, T>(exec, name, "y", from.y, rows, false),
          entries_of<Exec, T>(exec, name, "weights", from.weights, rows, true),
          entries_of<Exec, T>(exec, name, "offset", from.offset, rows, true)};
}

/// The scale of the rounding of a row's derivatives.
inline double size_of_offset(HostObservations const& rows) {
  double largest = 0;
  for (double const entry : rows.offset) largest = std::max(largest, std::fabs(entry));
  return 1 + largest;
}

/// Empty if all are finite.
inline std::string not_finite_in(char const* what, std::vector<double> const& x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isfinite(x[i])) continue;
    return std::string(what) + " has " + text_of(x[i]) + " at row " + std::to_string(i);
  }
  return "";
}

inline void require_observations(Loss loss, double power, HostObservations const& rows) {
  auto const refuse = [&](std::string const& expected, double found, std::size_t i) {
    checks::fail(name_of(loss), "expected " + expected + ", found " + text_of(found) + " at row " +
                                    std::to_string(i));
  };
  double largest = 0;
  for (std::size_t i = 0; i < rows.y.size(); ++i) {
    double const y = rows.y[i];
    if (loss == Loss::logistic && y != 0 && y != 1) refuse("labels y of 0 and 1", y, i);
    if (loss == Loss::poisson && y < 0) refuse("counts y of at least 0", y, i);
    if (is_tweedie(loss) && power >= 2 && y <= 0) refuse("y above 0", y, i);
    if (is_tweedie(loss) && y < 0) refuse("y of at least 0", y, i);
    if (rows.weight(i) < 0) refuse("weights of at least 0", rows.weight(i), i);
    largest = std::max(largest, rows.weight(i));
  }
  if (largest == 0) {
    checks::fail(name_of(loss), rows.y.empty() ? "expected a matrix with rows, found none"
                                               : "expected a weight above 0, found none");
  }
}

inline Obstacle obstacle_of(Loss loss, double power, HostObservations const& rows,
                            bool has_intercept) {
  for (auto const& [what, x] : {std::pair("y", &rows.y), std::pair("the weights", &rows.weights),
                                std::pair("the offset", &rows.offset)}) {
    auto const found = not_finite_in(what, *x);
    if (!found.empty()) return {Stop::not_finite, found};
  }
  require_observations(loss, power, rows);
  if (!has_intercept || loss == Loss::squares) return {};
  double least = HUGE_VAL;
  double most = -HUGE_VAL;
  for (std::size_t i = 0; i < rows.y.size(); ++i) {
    if (rows.weight(i) == 0) continue;
    least = std::min(least, rows.y[i]);
    most = std::max(most, rows.y[i]);
  }
  if (loss == Loss::logistic && least == most) {
    return {Stop::not_solvable, "y has one class, " + text_of(least) +
                                    ", and two are needed: the intercept grows without bound"};
  }
  if (loss == Loss::poisson && most == 0) {
    return {Stop::not_solvable, "all counts y are 0: the intercept falls without bound"};
  }
  if (is_tweedie(loss) && most == 0) {
    return {Stop::not_solvable, "all y are 0: the intercept falls without bound"};
  }
  return {};
}

struct NullModel {
  double intercept = 0;
  double loss = 0;
};
inline NullModel null_model(Loss loss, double power, HostObservations const& rows,
                            bool has_intercept) {
  double weights = 0;
  double sum = 0;
  double rates = 0;
  for (std::size_t i = 0; i < rows.y.size(); ++i) {
    double const w = rows.weight(i);
    weights += w;
    sum += w * (loss == Loss::squares ? rows.y[i] - rows.shift(i) : rows.y[i]);
    rates += w * (loss == Loss::poisson ? elementary::exp(rows.shift(i)) : 1.0);
  }
  if (is_tweedie(loss)) {
    sum = 0;
    rates = 0;
    for (std::size_t i = 0; i < rows.y.size(); ++i) {
      sum += rows.weight(i) * rows.y[i] * elementary::exp((1 - power) * rows.shift(i));
      rates += rows.weight(i) * elementary::exp((2 - power) * rows.shift(i));
    }
  }
  NullModel found;
  if (has_intercept && loss == Loss::squares) found.intercept = sum / weights;
  if (has_intercept && loss == Loss::logistic)
    found.intercept = elementary::log(sum / (weights - sum));
  bool const has_log_link = loss == Loss::poisson || is_tweedie(loss);
  if (has_intercept && has_log_link) found.intercept = elementary::log(sum / rates);
  for (std::size_t i = 0; i < rows.y.size() && is_tweedie(loss); ++i) {
    double const eta = found.intercept + rows.shift(i);
    found.loss += rows.weight(i) * tweedie_row(eta, rows.y[i], power).value;
  }
  for (std::size_t i = 0; i < rows.y.size() && loss == Loss::poisson; ++i) {
    double const eta = found.intercept + rows.shift(i);
    double const y = rows.y[i];
    double const own = y > 0 ? y * (1 + eta - elementary::log(y)) : 0;
    found.loss += rows.weight(i) * (elementary::exp(eta) - own);
  }
  return found;
}

/// The loss minus half the deviance.
inline double own_loss(Loss loss, double power, HostObservations const& rows) {
  double sum = 0;
  for (std::size_t i = 0; i < rows.y.size() && is_tweedie(loss); ++i) {
    double const y = rows.y[i];
    double const log_y = y > 0 ? elementary::log(y) : 0;
    if (power == 2) {
      sum += rows.weight(i) * (1 + log_y);
    } else if (y > 0) {
      sum -= rows.weight(i) * elementary::exp((2 - power) * log_y) / ((1 - power) * (2 - power));
    }
  }
  for (std::size_t i = 0; i < rows.y.size() && loss == Loss::poisson; ++i) {
    double const y = rows.y[i];
    if (y > 0) sum += rows.weight(i) * (y - y * elementary::log(y));
  }
  return sum;
}

/// As statsmodels with freq_weights, and gamma's dispersion by Pearson's statistic.
inline double aic_of(Loss loss, HostObservations const& rows, double deviance, double dispersion,
                     Index parameters) {
  double const own = 2 * static_cast<double>(parameters);
  if (loss == Loss::logistic || loss == Loss::multinomial) return deviance + own;
  if (loss == Loss::squares) {
    double const count = rows.total_weight();
    return count * (std::log(2 * std::numbers::pi * deviance / count) + 1) + own;
  }
  // The density of other powers has no closed form.
  if (loss == Loss::tweedie) return std::nan("");
  if (loss == Loss::gamma) {
    double const shape = 1 / dispersion;
    double const weight = rows.total_weight();
    double log_density =
        weight * (shape * std::log(shape) - shape - std::lgamma(shape)) - shape * deviance / 2;
    for (std::size_t i = 0; i < rows.y.size(); ++i) {
      log_density -= rows.weight(i) * std::log(rows.y[i]);
    }
    return -2 * log_density + own;
  }
  double likelihood = -deviance / 2;
  for (std::size_t i = 0; i < rows.y.size(); ++i) {
    double const y = rows.y[i];
    double const most = y > 0 ? y * std::log(y) - y : 0;
    likelihood += rows.weight(i) * (most - std::lgamma(y + 1));
  }
  return -2 * likelihood + own;
}

}  // namespace tessera::solve::detail
