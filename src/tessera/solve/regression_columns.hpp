// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/kernels/elementary.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/solve/normal_operator.hpp>
#include <tessera/solve/regression_rows.hpp>
#include <tessera/solve/regression_types.hpp>
#include <tessera/solve/scaled_columns.hpp>
#include <tessera/solve/tweedie.hpp>
#include <tessera/solve/values.hpp>
#include <tessera/vectors.hpp>

/// Rows and columns for iterative regression solvers.
namespace tessera::solve::detail {

/// Losses at η + step·(change + shift) + offset. `wrong`: the row is on the wrong side of a plane
/// that separates the labels.
template <class T>
struct Losses {
  Loss loss;
  T power;
  T const* eta;
  T step;
  T const* change;
  T shift;
  T const* y;
  T const* weights;  ///< or null
  T const* offset;   ///< or null
  T* value;
  T* first;
  T* second;
  T* wrong;

  KOKKOS_FUNCTION void operator()(Index i) const {
    T const plain = step == T(0) ? eta[i] : Kokkos::fma(step, change[i] + shift, eta[i]);
    T const at = offset == nullptr ? plain : plain + offset[i];
    wrong[i] =
        (weights == nullptr || weights[i] > T(0)) && (y[i] > T(0.5) ? plain <= T(0) : plain >= T(0))
            ? T(1)
            : T(0);
    if (loss == Loss::squares) {
      T const off = at - y[i];
      set(i, T(0.5) * off * off, off, T(1));
    } else if (loss == Loss::logistic) {
      T const e = elementary::exp(-Kokkos::fabs(at));  // the exponent is at most 0
      T const d = T(1) + e;
      T const larger = Kokkos::fmax(at, T(0));
      set(i, Kokkos::fma(-y[i], at, larger) + elementary::log1p(e),
          (at < T(0) ? e : T(1)) / d - y[i], e / (d * d));
    } else if (loss == Loss::gamma || loss == Loss::tweedie) {
      TweedieRow<T> const row = tweedie_row(at, y[i], power);
      set(i, row.value, row.first, row.second);
    } else {
      T const e = elementary::exp(at);
      T const t = y[i] > T(0) ? at - elementary::log(y[i]) : T(0);
      T const beyond = exp_beyond_line(t);
      set(i, y[i] > T(0) ? y[i] * beyond : e, y[i] > T(0) ? y[i] * (t + beyond) : e, e);
    }
  }
  KOKKOS_FUNCTION void set(Index i, T v, T f, T s) const {
    T const w = weights == nullptr ? T(1) : weights[i];
    value[i] = w * v;
    first[i] = w * f;
    second[i] = w * s;
  }
};

template <class T>
struct Advance {
  T* eta;
  T step;
  T const* change;
  T shift;
  KOKKOS_FUNCTION void operator()(Index i) const {
    eta[i] = Kokkos::fma(step, change[i] + shift, eta[i]);
  }
};

template <class T>
struct ScaleGradient {
  T const* from;
  T const* mean;
  T b;
  T const* unit;
  T* to;
  KOKKOS_FUNCTION void operator()(Index j) const {
    to[j] = unit[j] * Kokkos::fma(-b, mean[j], from[j]);
  }
};

template <class View>
auto const* data_of(View const& x) {
  return x.extent(0) == 0 ? nullptr : x.data();
}

/// Centres and scales implicitly: x and its intercept belong to (a_ij - mean_j)·unit_j, but
/// products use A.
template <class Exec, class T>
class CentredColumns {
 public:
  using Operator = NormalOperator<Exec, T>;
  using V = Values<Exec, T>;

  explicit CentredColumns(Operator const& op) : op_(op), dot_(op.exec()) {
    for (V* const of_cols : {&mean_, &unit_, &work_})
      *of_cols = make_values<Exec, T>(op.exec(), op.cols());
  }

  /// Two reads. Returns false if not finite.
  /// @param has_one_unit for all columns, so that the shortest x is the shortest for A
  bool find(bool has_intercept, bool has_one_unit, ConstValues<Exec, T> const& ones) {
    Exec const& exec = op_.exec();
    auto const m = static_cast<double>(op_.rows());
    auto const n = static_cast<std::size_t>(op_.cols());
    op_.multiply_transposed(ones, work_);
    std::vector<T> mean = to_host<Exec, T>(exec, work_);
    for (T& entry : mean) {
      if (!std::isfinite(entry)) return false;
      entry = has_intercept ? static_cast<T>(static_cast<double>(entry) / m) : T(0);
    }
    from_host<Exec, T>(exec, mean, mean_);
    std::vector<T> units(n, T(1));
    std::vector<double> squares = squares_in<Exec, T>(op_, units, mean_, unit_, work_);
    if (bring_in_range(squares, units)) {
      squares = squares_in<Exec, T>(op_, units, mean_, unit_, work_);
    }
    double largest = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (!std::isfinite(squares[j])) return false;
      largest = std::max(largest, std::sqrt(squares[j] / m) / static_cast<double>(units[j]));
    }
    std::vector<T> unit(n, T(1));
    for (std::size_t j = 0; j < n; ++j) {
      auto const by = static_cast<double>(units[j]);
      double const size = has_one_unit ? largest : std::sqrt(squares[j] / m) / by;
      if (size > 0) unit[j] = static_cast<T>(std::scalbn(1.0, -std::ilogb(size)));
      // A column that is constant up to rounding has the coefficient 0.
      double const rounding = 8 * eps * by * static_cast<double>(mean[j]);
      if (squares[j] <= rounding * rounding * m) unit[j] = T(0);
      double const own = static_cast<double>(unit[j]) / by * std::sqrt(squares[j]);
      double const far = static_cast<double>(mean[j] * unit[j]) * std::sqrt(m);
      norms_.push_back(own);
      means_.push_back(far);
      sizes_.push_back(std::sqrt(own * own + far * far));
    }
    from_host<Exec, T>(exec, unit, unit_);
    return true;
  }

  /// norms(): centred and scaled; sizes(): only scaled.
  [[nodiscard]] std::vector<double> const& norms() const { return norms_; }
  [[nodiscard]] std::vector<double> const& sizes() const { return sizes_; }
  [[nodiscard]] double size() const { return scaled_norm(sizes_); }

  /// to = unit·x: the coefficients for A's columns.
  void to_own(ConstValues<Exec, T> const& x, V const& to) const { scale_by(x, false, to); }
  /// to = unit²·x: λ times this is the penalty's gradient.
  void to_penalty(ConstValues<Exec, T> const& x, V const& to) const { scale_by(x, true, to); }
  double own_intercept(ConstValues<Exec, T> const& own, double intercept) {
    return intercept - dot_(mean_, own);
  }
  void from_own_gradient(ConstValues<Exec, T> const& own, double of_intercept, V const& to) const {
    static std::string const label("tessera::regression::gradient");
    for_each_element(op_.exec(), label, op_.cols(),
                     ScaleGradient<T>{own.data(), mean_.data(), static_cast<T>(of_intercept),
                                      unit_.data(), to.data()});
  }

  /// The largest |g_j| relative to its bound for tol = 1 (docs/stopping.md); the intercept's g
  /// comes last.
  /// @param factor  of the rounding of η in the losses' derivatives
  /// @param answers norm of the other rounding there
  [[nodiscard]] double quantity(std::vector<double> const& gradient, ConstValues<Exec, T> const& x,
                                double intercept, double root, double tol, double factor,
                                double answers) const {
    std::vector<T> const entries = to_host<Exec, T>(op_.exec(), x);
    double const rows = std::sqrt(static_cast<double>(op_.rows()));
    double squares = 0;
    double shift = 0;
    for (std::size_t j = 0; j < entries.size(); ++j) {
      auto const entry = static_cast<double>(entries[j]);
      squares = std::fma(entry * sizes_[j], entry * sizes_[j], squares);
      shift = std::fma(entry, means_[j], shift);
    }
    double const predictor = std::sqrt(squares) + std::fabs(shift) + std::fabs(intercept) * rows;
    double const rounding = 4 * eps / tol;
    double const of_losses = rounding * (factor * predictor + answers);
    double largest = 0;
    for (std::size_t j = 0; j < gradient.size(); ++j) {
      bool const is_last = j == entries.size();
      double const norm = is_last ? rows : norms_[j];
      double const size = is_last ? rows : sizes_[j];
      double const scale = norm * (root + of_losses) + size * rounding * root;
      if (gradient[j] != 0) largest = std::max(largest, std::fabs(gradient[j]) / scale);
    }
    return largest;
  }

 private:
  static constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());

  void scale_by(ConstValues<Exec, T> const& x, bool is_squared, V const& to) const {
    static std::string const label("tessera::regression::units");
    for_each_element(op_.exec(), label, op_.cols(),
                     ScaleBy<T>{x.data(), unit_.data(), is_squared, to.data()});
  }

  Operator const& op_;
  Dots<Exec, T> dot_;
  V mean_;
  V unit_;
  V work_;
  std::vector<double> norms_;
  std::vector<double> means_;  ///< scaled, times √m
  std::vector<double> sizes_;
};

}  // namespace tessera::solve::detail
