// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/checks.hpp>
#include <tessera/kernels/elementary.hpp>
#include <tessera/solve/normal_operator.hpp>
#include <tessera/solve/regression_model.hpp>
#include <tessera/solve/regression_observations.hpp>
#include <tessera/solve/regression_rows.hpp>
#include <tessera/solve/row_sums.hpp>

/// Coefficients and intercepts are stored class by class.
namespace tessera::solve::detail {

/// Bounds the Hessian, which is stored whole.
inline constexpr Index most_class_parameters = 1024;

/// Stored by columns: block (k, l) is k + l·(l + 1)/2.
inline Index pairs_of(Index classes) {
  return classes * (classes + 1) / 2;
}

inline RowSumsSize class_sums(Index cols, Index classes) {
  return {cols + 1, pairs_of(classes) * (cols + 1) + classes + row_columns - 1};
}

/// Columns of E as in RowColumn, with a first derivative for each class.
struct RowClasses {
  Index classes;
  double const* eta;  ///< (rows, 2·classes): at the place, then along the step
  double const* y;
  double const* weights;  ///< or null
  double* to;             ///< (rows, count)
  double* found;          ///< (rows, 2·classes): p, then 1 - p
  Index count;
  Index before;  ///< columns of E before these

  KOKKOS_FUNCTION void operator()(Index i) const {
    double const* const at = eta + i * 2 * classes;
    double const* const along = at + classes;
    double* const is = found + i * 2 * classes;
    double* const is_not = is + classes;
    double* const e = to + i * count + before;
    double const weight = weights == nullptr ? 1 : weights[i];
    auto const own = static_cast<Index>(y[i]);
    double largest = at[0];
    for (Index k = 1; k < classes; ++k) largest = Kokkos::fmax(largest, at[k]);
    double sum = 0;
    for (Index k = 0; k < classes; ++k) {
      is[k] = elementary::exp(at[k] - largest);
      sum += is[k];
    }
    // Avoids differences of nearly equal numbers.
    for (Index k = 0; k < classes; ++k) {
      is_not[k] = 0;
      for (Index l = 0; l < classes; ++l) is_not[k] += l == k ? 0 : is[l];
    }
    double const value = at[own] == largest ? elementary::log1p(is_not[own])
                                            : largest - at[own] + elementary::log(sum);
    bool is_wrong = false;
    bool rises = false;
    bool falls = false;
    for (Index k = 0; k < classes; ++k) {
      is[k] /= sum;
      is_not[k] /= sum;
      e[of_first + k] = weight * (k == own ? -is_not[k] : is[k]);
      if (k == own) continue;
      is_wrong = is_wrong || at[k] >= at[own];
      rises = rises || along[k] - along[own] > 1e-6;
      falls = falls || along[own] - along[k] >= 0.5;
    }
    double* const others = e + classes - 1;
    others[of_value] = weight * value;
    others[of_wrong_side] = weight > 0 && is_wrong ? 1 : 0;
    others[of_rising] = weight > 0 && rises ? 1 : 0;
    others[of_falling] = weight > 0 && falls && !rises ? 1 : 0;
  }
};

struct WeighClasses {
  double const* D;
  double const* found;
  double const* weights;
  Index classes;
  Index width;
  Index count;
  double* to;
  KOKKOS_FUNCTION void operator()(Index i, Index j) const {
    Index const pair = j / width;
    auto const l = static_cast<Index>((Kokkos::sqrt(static_cast<double>(8 * pair + 1)) - 1) / 2);
    Index const k = pair - l * (l + 1) / 2;
    double const* const is = found + i * 2 * classes;
    double const second = k == l ? is[k] * is[classes + k] : -is[k] * is[l];
    double const weight = weights == nullptr ? 1 : weights[i];
    to[i * count + j] = weight * second * D[i * width + j % width];
  }
};

template <class Exec, class T>
class ClassSums final : public PlacedSums<Exec, T> {
 public:
  using Base = PlacedSums<Exec, T>;

  ClassSums(Exec const& exec, Index classes, typename Base::OfRows rows,
            std::vector<double> const& mean, std::vector<double> const& unit)
      : Base(exec, class_sums(static_cast<Index>(mean.size()), classes), std::move(rows), mean,
             unit, pairs_of(classes)),
        classes_(classes) {}

 private:
  void fill(Exec const& exec, RowsOfMatrix<T> const& rows, Kernels kernels, double* D,
            double* E) override {
    static std::string const label("tessera::regression::classes");
    Index const p = this->width();
    Index const pairs = pairs_of(classes_) * p;
    this->fill_places(exec, rows, kernels, D, 2 * classes_, 2 * classes_);
    double const* const eta = this->eta_.data();
    double* const found = this->eta_.data() + 2 * classes_ * rows.count;
    double const* const weights = Base::from(this->of_rows_.weights, rows.first);
    tessera::detail::for_each_element(
        exec, label, rows.count,
        RowClasses{classes_, eta, Base::from(this->of_rows_.y, rows.first), weights, E, found,
                   this->count(), pairs});
    for_each_entry(exec, label, rows.count, pairs,
                   WeighClasses{D, found, weights, classes_, p, this->count(), E});
  }

  Index classes_;
};

inline LossAtPlace loss_of_classes(std::vector<double> const& sums, Index width, Index classes,
                                   Index count, bool has_intercept) {
  Index const before = pairs_of(classes) * width;
  Index const ones = width - 1;
  auto const at = [&](Index row, Index column) {
    return sums[static_cast<std::size_t>(row * count + column)];
  };
  Index const others = before + classes - 1;
  LossAtPlace found{.loss = at(ones, others + of_value)};
  found.deviance = 2 * found.loss;
  found.H = SmallMatrix(classes * width, classes * width);
  for (Index l = 0; l < classes; ++l) {
    for (Index j = 0; j < width; ++j) {
      bool const is_left_out = !has_intercept && j == ones;
      found.gradient.push_back(is_left_out ? 0 : at(j, before + of_first + l));
    }
    for (Index k = 0; k <= l; ++k) {
      Index const block = (k + l * (l + 1) / 2) * width;
      if (k == l) found.weight += at(ones, block + ones);
      for (Index j = 0; j < width; ++j) {
        for (Index i = 0; i < width; ++i) {
          if (!has_intercept && (i == ones || j == ones)) continue;
          double const h = at(std::max(i, j), block + std::min(i, j));
          found.H(k * width + i, l * width + j) = h;
          found.H(l * width + j, k * width + i) = h;
        }
      }
    }
  }
  found.wrong_side = at(ones, others + of_wrong_side);
  found.rising = at(ones, others + of_rising);
  found.falling = at(ones, others + of_falling);
  return found;
}

inline std::vector<double> weights_of_classes(HostObservations const& rows, Index classes) {
  char const* const name = name_of(Loss::multinomial);
  std::vector<double> weights(static_cast<std::size_t>(classes));
  for (std::size_t i = 0; i < rows.y.size(); ++i) {
    double const y = rows.y[i];
    if (!(y >= 0 && y < static_cast<double>(classes) && y == std::floor(y))) {
      checks::fail(name, "expected labels y of 0 to " + std::to_string(classes - 1) + ", found " +
                             text_of(y) + " at row " + std::to_string(i));
    }
    weights[static_cast<std::size_t>(y)] += rows.weight(i);
  }
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] > 0) continue;
    checks::fail(name, "expected rows of every class with a weight above 0, found none of class " +
                           std::to_string(k));
  }
  return weights;
}

/// Of the fit without columns; they add up to 0.
inline std::vector<double> null_intercepts(std::vector<double> const& weights) {
  std::vector<double> intercepts;
  double mean = 0;
  for (double const weight : weights) {
    intercepts.push_back(elementary::log(weight));
    mean += intercepts.back() / static_cast<double>(weights.size());
  }
  for (double& intercept : intercepts) intercept -= mean;
  return intercepts;
}

}  // namespace tessera::solve::detail
