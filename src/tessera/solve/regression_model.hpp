// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <tessera/solve/regression_rows.hpp>
#include <tessera/solve/small_cholesky.hpp>
#include <tessera/solve/small_svd.hpp>

/// The quadratic model of a regression's loss, on the host.
namespace tessera::solve::detail {

/// (a_ij - mean_j)·unit_j. Units are powers of two.
struct ScaledColumns {
  std::vector<double> mean;
  std::vector<double> unit;
  std::vector<double> rounding;  ///< smaller entries may be only rounding

  [[nodiscard]] Index count() const { return static_cast<Index>(mean.size()); }
};

struct LossAtPlace {
  double loss = 0;  ///< half the deviance, plus the penalty
  double deviance = 0;
  std::vector<double> gradient{};  ///< the intercept's comes last
  SmallMatrix H{};
  double weight = 0;  ///< Σ of the second derivatives
  double wrong_side = 0;
  double rising = 0;
  double falling = 0;

  [[nodiscard]] bool is_finite() const {
    bool finite = std::isfinite(loss);
    for (double const g : gradient) finite = finite && std::isfinite(g);
    for (double const h : H.values()) finite = finite && std::isfinite(h);
    return finite;
  }
};

inline LossAtPlace loss_of(std::vector<double> const& sums, Index width, Index count,
                           bool has_intercept) {
  Index const before = count - row_columns;
  auto const at = [&](Index row, Index column) {
    return sums[static_cast<std::size_t>(row * count + column)];
  };
  Index const ones = width - 1;
  LossAtPlace found{.loss = at(ones, before + of_value)};
  found.deviance = 2 * found.loss;
  for (Index j = 0; j < width; ++j) found.gradient.push_back(at(j, before + of_first));
  if (!has_intercept) found.gradient.back() = 0;
  if (before > 0) {
    found.weight = at(ones, ones);
    found.H = SmallMatrix(width, width);
    for (Index j = 0; j < width; ++j) {
      for (Index i = 0; i < width; ++i) {
        bool const is_left_out = !has_intercept && (i == ones || j == ones);
        found.H(i, j) = is_left_out ? 0 : at(std::max(i, j), std::min(i, j));
      }
    }
  }
  found.wrong_side = at(ones, before + of_wrong_side);
  found.rising = at(ones, before + of_rising);
  found.falling = at(ones, before + of_falling);
  return found;
}

inline void add_penalty(double penalty, ScaledColumns const& columns, std::vector<double> const& x,
                        LossAtPlace& at) {
  std::size_t const width = columns.unit.size() + 1;
  for (std::size_t i = 0; penalty > 0 && i < x.size(); ++i) {
    if (i % width + 1 == width) continue;
    double const unit = columns.unit[i % width];
    double const factor = penalty * unit * unit;
    auto const k = static_cast<Index>(i);
    at.loss = std::fma(factor * x[i] / 2, x[i], at.loss);
    at.gradient[i] = std::fma(factor, x[i], at.gradient[i]);
    if (at.H.rows() > 0) at.H(k, k) += factor;
  }
}

struct Distance {
  double decrement = 0;
  double scaled_gradient = 0;
  double rounding = 0;  ///< what rounding may leave of both
  double quantity = 0;  ///< the larger one over √deviance
};

class Curvature {
 public:
  Curvature() = default;
  /// @param is_rounded columns are known only in float
  /// @param roundings pivots below this many roundings of their diagonal count as 0
  Curvature(SmallMatrix H, bool is_rounded, double roundings)
      : H_(std::move(H)),
        factor_(H_, roundings * rounding_of(H_)),
        slack_(is_rounded ? std::sqrt(64 * rounding_of(H_)) : 0.0),
        is_left_out_(static_cast<std::size_t>(H_.rows()), false) {
    for (Index i = factor_.rank(); i < H_.rows(); ++i) {
      is_left_out_[size(factor_.order()[size(i)])] = true;
    }
    auto const inverse = factor_.inverse_diagonal();
    for (Index j = 0; j < H_.rows(); ++j) inflation_ += H_(j, j) * inverse[size(j)];
  }

  [[nodiscard]] SmallMatrix const& H() const { return H_; }
  [[nodiscard]] SmallCholesky const& factor() const { return factor_; }
  [[nodiscard]] Index nonzero() const {
    Index count = 0;
    for (Index j = 0; j < H_.rows(); ++j) count += H_(j, j) > 0 ? 1 : 0;
    return count;
  }

  [[nodiscard]] std::vector<double> step(std::vector<double> const& gradient) const {
    auto step = factor_.solve(gradient);
    for (double& entry : step) entry = -entry;
    return step;
  }
  /// @param sizes norm of the other values that derivatives round
  [[nodiscard]] Distance distance(LossAtPlace const& at, std::vector<double> const& x, double sizes,
                                  double tol) const {
    constexpr double eps = std::numeric_limits<double>::epsilon();
    Distance found;
    double squares = 0;
    for (double const y : factor_.forward(at.gradient)) squares = std::fma(y, y, squares);
    found.decrement = std::sqrt(squares);
    double predictor = sizes;
    double left_out = 0;
    for (Index j = 0; j < H_.rows(); ++j) {
      if (!(H_(j, j) > 0)) continue;
      double const root = std::sqrt(H_(j, j));
      predictor = std::fma(std::fabs(x[size(j)]), root, predictor);
      double const scaled = std::fabs(at.gradient[size(j)]) / root;
      double& largest = is_left_out_[size(j)] ? left_out : found.scaled_gradient;
      largest = std::max(largest, scaled);
    }
    // Entries of η are rounded to a few eps of Σ |a_ij·x_j|; H⁻¹ magnifies this by the inflation.
    double const rounding = 8 * eps * predictor / tol;
    double const root = std::sqrt(at.deviance);
    auto const columns = static_cast<double>(H_.rows());
    double const of_decrement = root + rounding * std::sqrt(std::max(1.0, inflation_));
    double const of_gradient = root + rounding * std::sqrt(columns);
    found.rounding = 8 * eps * predictor * std::sqrt(columns);
    if (found.decrement > 0) found.quantity = found.decrement / of_decrement;
    if (found.scaled_gradient > 0) {
      found.quantity = std::max(found.quantity, found.scaled_gradient / of_gradient);
    }
    if (left_out > 0) {
      found.quantity =
          std::max(found.quantity, left_out / std::fma(slack_ / tol, root, of_gradient));
      found.scaled_gradient = std::max(found.scaled_gradient, left_out);
    }
    return found;
  }

 private:
  static std::size_t size(Index j) { return static_cast<std::size_t>(j); }
  static double rounding_of(SmallMatrix const& H) {
    return std::numeric_limits<double>::epsilon() * static_cast<double>(H.rows());
  }

  SmallMatrix H_;
  SmallCholesky factor_;
  double slack_ = 0;
  std::vector<bool> is_left_out_;
  double inflation_ = 0;  ///< Σ H_jj·(H⁻¹)_jj
};

/// The shortest x with the same A·x, measured by the coefficients of A's columns.
inline void shorten(Curvature const& curvature, ScaledColumns const& columns,
                    std::vector<double>& x) {
  SmallMatrix Z = curvature.factor().null_space();
  SmallMatrix M(Z.cols(), Z.cols());
  std::vector<double> right(static_cast<std::size_t>(Z.cols()));
  Index const width = columns.count() + 1;
  SmallMatrix TZ(Z.rows() / width * columns.count(), Z.cols());
  for (Index k = 0; k < Z.cols(); ++k) {
    double& along = right[static_cast<std::size_t>(k)];
    for (Index i = 0; i < Z.rows(); ++i) {
      if (i % width == columns.count()) continue;
      Index const j = i - i / width;
      double const unit = columns.unit[static_cast<std::size_t>(i % width)];
      TZ(j, k) = unit * Z(i, k);
      along = std::fma(TZ(j, k), unit * x[static_cast<std::size_t>(i)], along);
    }
  }
  for (Index k = 0; k < Z.cols(); ++k) {
    for (Index l = 0; l < Z.cols(); ++l) {
      M(l, k) = product_of(TZ.rows(), TZ.column(k), TZ.column(l));
    }
  }
  // Adding a number to the intercepts of all classes changes nothing, so such a part is rounding.
  for (Index k = 0; k < Z.cols() && Z.rows() > width; ++k) {
    double of_columns = 0;
    double of_intercepts = 0;
    for (Index i = 0; i < Z.rows(); ++i) {
      double& sum = i % width == columns.count() ? of_intercepts : of_columns;
      sum = std::fma(Z(i, k), Z(i, k), sum);
    }
    if (of_columns > 1e-20 * of_intercepts) continue;
    for (Index l = 0; l < Z.cols(); ++l) M(l, k) = M(k, l) = 0;
  }
  double const small = Z.rows() > width ? 64 * static_cast<double>(Z.rows()) : 1;
  SmallCholesky const factor(M, small * std::numeric_limits<double>::epsilon());
  auto const along = factor.solve(right);
  for (Index k = 0; k < Z.cols(); ++k) {
    for (Index j = 0; j < Z.rows(); ++j) {
      double& entry = x[static_cast<std::size_t>(j)];
      entry = std::fma(-along[static_cast<std::size_t>(k)], Z(j, k), entry);
    }
  }
}

}  // namespace tessera::solve::detail
