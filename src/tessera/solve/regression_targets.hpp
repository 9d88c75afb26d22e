// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/normal_operator.hpp>
#include <tessera/solve/regression_model.hpp>
#include <tessera/solve/regression_newton.hpp>
#include <tessera/solve/regression_rows.hpp>
#include <tessera/solve/regression_types.hpp>
#include <tessera/solve/values.hpp>

/// Linear regressions of several targets that share the reads of A.
namespace tessera::solve::detail {

/// Columns of E for each target: the derivative of the loss by η, and the loss.
inline constexpr Index columns_of_target = 2;

/// The size of the sums of `TargetSums` for `cols` columns.
inline RowSumsSize target_sums(Index cols, Index targets, bool has_hessian) {
  return {cols + 1, (has_hessian ? cols + 1 : 0) + columns_of_target * targets};
}

/// Computes for each row and target the loss and its derivative, as RowLosses for squares.
struct RowSquares {
  double const* eta;  ///< (rows, targets)
  Index targets;
  double const* y;  ///< starts at the first of these rows; targets are `length` entries apart
  Index length;
  double const* weights;  ///< starts at the first of these rows; or null
  double* second;         ///< the second derivative of each row
  double* to;             ///< (rows, count)
  Index count;
  Index before;  ///< columns of E before the targets' columns

  KOKKOS_FUNCTION void operator()(Index i) const {
    double const weight = weights == nullptr ? 1 : weights[i];
    bool const counts = weight > 0;
    second[i] = counts ? weight : 0;
    for (Index j = 0; j < targets; ++j) {
      double const off = counts ? eta[i * targets + j] - y[j * length + i] : 0;
      double* const e = to + i * count + before + columns_of_target * j;
      e[0] = weight * off;
      e[1] = weight * (0.5 * off * off);
    }
  }
};

/// The gradients and losses of several targets, each at its own place, and the Hessian that they
/// share.
template <class Exec, class T>
class TargetSums final : public PlacedSums<Exec, T> {
 public:
  using Base = PlacedSums<Exec, T>;

  /// @param rows   y of all targets, `length` entries each
  /// @param length rows of A
  TargetSums(Exec const& exec, typename Base::OfRows rows, Index length, Index targets,
             ScaledColumns const& columns, bool has_hessian)
      : Base(exec, target_sums(columns.count(), targets, has_hessian), std::move(rows),
             columns.mean, columns.unit, has_hessian),
        length_(length),
        targets_(targets) {}

  /// The sums of one target, as in `LossSums`.
  [[nodiscard]] std::vector<double> of_target(std::vector<double> const& all, Index target) const {
    Index const before = this->has_hessian() ? this->width() : 0;
    Index const count = before + row_columns;
    std::vector<double> sums(static_cast<std::size_t>(this->width() * count), 0.0);
    for (Index i = 0; i < this->width(); ++i) {
      auto const from = static_cast<std::size_t>(i * this->count());
      auto const to = static_cast<std::size_t>(i * count);
      auto const own = static_cast<std::size_t>(before + columns_of_target * target);
      auto const first = static_cast<std::size_t>(before);
      for (std::size_t j = 0; j < first; ++j) sums[to + j] = all[from + j];
      sums[to + first + of_first] = all[from + own];
      sums[to + first + of_value] = all[from + own + 1];
    }
    return sums;
  }

 private:
  void fill(Exec const& exec, RowsOfMatrix<T> const& rows, Kernels kernels, double* D,
            double* E) override {
    static std::string const label("tessera::regression::targets");
    Index const p = this->width();
    this->fill_places(exec, rows, kernels, D, targets_, 1);
    double* const second = this->eta_.data() + targets_ * rows.count;
    Index const before = this->has_hessian() ? p : 0;
    auto const& of_rows = this->of_rows_;
    tessera::detail::for_each_element(
        exec, label, rows.count,
        RowSquares{this->eta_.data(), targets_, Base::from(of_rows.y, rows.first), length_,
                   Base::from(of_rows.weights, rows.first), second, E, this->count(), before});
    if (before == 0) return;
    for_each_entry(exec, label, rows.count, p, WeighRows{D, second, p, this->count(), E});
  }

  Index length_;
  Index targets_;
};

/// Newton's method for the squares of several targets. Each target takes the places that it takes
/// alone; one read of A serves all targets that have not stopped.
template <class Exec, class T>
class TargetsRun {
 public:
  using Operator = NormalOperator<Exec, T>;
  using Run = NewtonRun<Exec, T>;
  using Memory = typename RowSums<Exec, T>::Memory;

  /// @param YT      targets, one per row
  /// @param options for each target
  TargetsRun(Operator const& op, ConstRows<Exec, T> const& YT, ConstValues<Exec, T> const& weights,
             std::vector<RegressionOptions> const& options, Control<T> const& control)
      : op_(op) {
    for (std::size_t j = 0; j < options.size(); ++j) {
      Observations<Exec, T> const observed{.y = row<Exec, T const>(YT, static_cast<Index>(j)),
                                           .weights = weights};
      runs_.push_back(std::make_unique<Run>(Loss::squares, op, observed, options[j], control));
    }
  }

  std::vector<Regression<Exec, T>> operator()() {
    backends::host::OrdinaryArithmetic const mode;
    std::vector<Run*> open;
    for (auto const& run : runs_) {
      if (run->prepare()) open.push_back(run.get());
    }
    if (!open.empty()) iterate(open);
    std::vector<Regression<Exec, T>> results;
    results.reserve(runs_.size());
    for (auto const& run : runs_) results.push_back(run->end());
    return results;
  }

 private:
  void iterate(std::vector<Run*> open) {
    Run& first = *open.front();
    weights_ = on_device(op_.exec(), first.observations().weights);
    if (!first.find_columns(weights_)) {
      for (Run* const run : open) run->share_columns(first);
      return;
    }
    columns_ = first.columns();
    std::vector<PlaceOfSums> places;
    for (Run* const run : open) {
      if (run != &first) run->share_columns(first);
      places.push_back(run->begin_at_null());
    }
    auto found = look(open, places, true);
    for (std::size_t j = 0; j < open.size(); ++j) open[j]->take_start(std::move(found[j]));
    for (;;) {
      places.clear();
      std::erase_if(open, [&](Run* run) {
        auto to = run->next();
        if (to) places.push_back(std::move(*to));
        return !to;
      });
      if (open.empty()) return;
      found = look(open, places, false);
      for (std::size_t j = 0; j < open.size(); ++j) {
        open[j]->take(std::move(places[j]), std::move(found[j]));
      }
    }
  }

  /// The losses of these targets at their places, with one read.
  std::vector<LossAtPlace> look(std::vector<Run*> const& open,
                                std::vector<PlaceOfSums> const& places, bool has_hessian) const {
    std::vector<double> y;
    std::vector<double> x;
    for (std::size_t j = 0; j < open.size(); ++j) {
      auto const& own = open[j]->observations().y;
      y.insert(y.end(), own.begin(), own.end());
      x.insert(x.end(), places[j].x.begin(), places[j].x.end());
    }
    TargetSums<Exec, T> sums(op_.exec(), {on_device(op_.exec(), y), weights_, {}}, op_.rows(),
                             static_cast<Index>(open.size()), columns_, has_hessian);
    sums.go_to(op_.exec(), x);
    auto const all = sums_over_rows<Exec, T>(op_, sums);
    std::vector<LossAtPlace> found;
    found.reserve(open.size());
    Index const count = row_columns + (has_hessian ? sums.width() : 0);
    for (std::size_t j = 0; j < open.size(); ++j) {
      found.push_back(loss_of(sums.of_target(all, static_cast<Index>(j)), sums.width(), count,
                              open[j]->has_intercept()));
    }
    return found;
  }

  Operator const& op_;
  std::vector<std::unique_ptr<Run>> runs_;
  Memory weights_;
  ScaledColumns columns_;
};

}  // namespace tessera::solve::detail
