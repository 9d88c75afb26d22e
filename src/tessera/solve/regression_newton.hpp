// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/checks.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/golub_kahan.hpp>
#include <tessera/solve/normal_operator.hpp>
#include <tessera/solve/regression_classes.hpp>
#include <tessera/solve/regression_model.hpp>
#include <tessera/solve/regression_observations.hpp>
#include <tessera/solve/regression_rows.hpp>
#include <tessera/solve/regression_types.hpp>

/// Newton's method for regressions whose Hessian fits on the host.
namespace tessera::solve::detail {

/// Products are in double. Each iteration reads A once for the loss, the gradient and the Hessian
/// at a place. It passes on only the place, so η is always A·x.
template <class Exec, class T>
class NewtonRun {
 public:
  using Operator = NormalOperator<Exec, T>;
  using Memory = typename RowSums<Exec, T>::Memory;

  NewtonRun(Loss loss, Operator const& op, Observations<Exec, T> const& observed,
            RegressionOptions const& options, Control<T> const& control, Index classes = 1)
      : loss_(loss),
        power_(power_of(loss, options.power)),
        op_(op),
        rows_(observations_of<Exec, T>(op.exec(), loss, observed, op.rows())),
        options_(options),
        control_(control),
        tol_(options.tol > 0 ? options.tol : 1e-10),
        classes_(classes) {
    if (!op.can_sum_rows()) {
      checks::fail(name(), "this operator has no sums over rows: choose the solver newton_cg");
    }
  }

  Regression<Exec, T> operator()() {
    backends::host::OrdinaryArithmetic const mode;
    if (prepare() && begin()) {
      while (auto const to = next()) take(*to, look_again(*to));
    }
    return end();
  }

  // The parts of a run, for linear regressions of several targets that share reads of A: prepare();
  // find_columns() or share_columns(); begin_at_null(); next() and take() until there is no place;
  // end().

  /// Returns false if there is no fit; the result has the reason.
  bool prepare() {
    reads_before_ = op_.reads();
    result_.x = make_values<Exec, T>(op_.exec(), classes_ * op_.cols());
    place_.x.assign(static_cast<std::size_t>(classes_ * (op_.cols() + 1)), 0.0);
    place_.step = place_.x;
    auto const obstacle = obstacle_of(loss_, power_, rows_, options_.has_intercept);
    if (obstacle.stop == Stop::converged) return true;
    stop(obstacle.stop, obstacle.detail);
    return false;
  }
  [[nodiscard]] HostObservations const& observations() const { return rows_; }
  [[nodiscard]] ScaledColumns const& columns() const { return columns_; }
  [[nodiscard]] bool has_intercept() const { return options_.has_intercept; }

  /// Finds means and scales, with one read. Returns false if an entry of A is not finite.
  bool find_columns(Memory const& weights) {
    ColumnSums<Exec, T> sums(op_.cols(), weights);
    auto const found = sums_over_rows<Exec, T>(op_, sums);
    auto const n = static_cast<std::size_t>(op_.cols());
    auto const counted = rows_.weights.empty()
                             ? op_.rows()
                             : std::ranges::count_if(rows_.weights, [](double w) { return w > 0; });
    auto const m = static_cast<double>(counted);
    constexpr double eps = std::numeric_limits<double>::epsilon();
    for (std::size_t j = 0; j < n; ++j) {
      double const size = found[n + j] / m;
      if (!std::isfinite(size)) {
        std::string const where = not_finite_in_matrix(op_);
        stop(Stop::not_finite, where.empty() ? "sums of A's entries overflow" : where);
        columns_ = {};
        return false;
      }
      double const unit =
          size > 0 ? std::scalbn(1.0, std::clamp(-std::ilogb(size), -1000, 1000)) : 1.0;
      columns_.mean.push_back(options_.has_intercept ? found[j] / m : 0.0);
      columns_.unit.push_back(unit);
      columns_.rounding.push_back(options_.has_intercept ? 8 * eps * size * unit : 0.0);
    }
    return true;
  }
  /// Takes the columns of another run for the same A and weights, or the reason that it has none.
  void share_columns(NewtonRun const& other) {
    columns_ = other.columns_;
    if (columns_.mean.empty()) stop(other.result_.stop, other.result_.detail);
  }

  /// Moves to the null model. Returns the place to look at, with a Hessian.
  PlaceOfSums const& begin_at_null() {
    sizes_ = scaled_norm(rows_.y);
    place_.x.back() = null_model(loss_, power_, rows_, options_.has_intercept).intercept;
    return place_;
  }
  void take_start(LossAtPlace found) { at_ = completed(std::move(found), place_); }

  /// Tests the present place, or shortens a step that was refused. Returns the next place to look
  /// at, without a Hessian for squares; empty: the run has stopped.
  std::optional<PlaceOfSums> next() {
    if (has_failed_) return std::nullopt;
    if (length_ > 0) return place_at_length();
    bool const is_new = std::exchange(has_begun_, true);
    result_.reads = op_.reads() - reads_before_;
    if (!at_.is_finite()) return stop(Stop::not_finite, "a sum over the rows overflows");
    if (loss_ != Loss::squares || !is_new) curvature_ = curvature_of(at_);
    distance_ = curvature_.distance(at_, place_.x, sizes_of(at_), tol_);
    bool const goes_on = !is_new || tell();
    bool const is_close = distance_.quantity <= tol_;
    bool const is_last = is_close || !goes_on || result_.iterations >= options_.maxiter;
    if (find_separation(is_last)) return std::nullopt;
    bool const may_go = goes_on && result_.iterations < options_.maxiter;
    bool const refines = is_close && may_go && find_refinement();
    if (is_close && !refines && (is_shortest_ || !has_dependent())) {
      // A penalty would choose between columns that depend on each other, if H were exact.
      bool const is_unsure = options_.penalty > 0 && has_dependent();
      if (!is_unsure && !is_imprecise_) return stop(Stop::converged);
      return stop(Stop::precision_limit,
                  "columns depend on each other so nearly that rounding hides the penalty");
    }
    if (!goes_on) return stop(Stop::cancelled);
    if (!may_go) return stop(Stop::iteration_limit);
    if (refines) return refined();
    if (is_close) return shortest();
    return begin_step();
  }

  /// Takes what a read found at the place of next().
  void take(PlaceOfSums to, LossAtPlace found) {
    found = completed(std::move(found), to);
    bool const is_trial = length_ > 0;
    if (is_trial && !accepts(found)) return;
    length_ = 0;
    place_ = std::move(to);
    at_ = std::move(found);
    ++result_.iterations;
  }

  Regression<Exec, T> end() {
    finish();
    result_.reads = op_.reads() - reads_before_;
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::size_t width() const { return static_cast<std::size_t>(op_.cols() + 1); }
  [[nodiscard]] char const* name() const { return name_of(loss_, RegressionSolver::newton); }
  /// Returns no next place.
  std::nullopt_t stop(Stop why, std::string detail = "") {
    result_.stop = why;
    result_.detail = std::move(detail);
    return std::nullopt;
  }

  /// Returns false if no iteration is possible; the result has the reason.
  bool begin() {
    std::vector<double> of_classes;
    if (loss_ == Loss::multinomial) of_classes = weights_of_classes(rows_, classes_);
    Exec const& exec = op_.exec();
    typename PlacedSums<Exec, T>::OfRows const observed{
        on_device(exec, rows_.y), on_device(exec, rows_.weights), on_device(exec, rows_.offset)};
    if (!find_columns(observed.weights)) return false;
    if (loss_ == Loss::multinomial) {
      full_ = std::make_unique<ClassSums<Exec, T>>(exec, classes_, observed, columns_.mean,
                                                   columns_.unit);
    } else {
      full_ = std::make_unique<LossSums<Exec, T>>(exec, loss_, power_, observed, columns_.mean,
                                                  columns_.unit, true);
    }
    if (loss_ == Loss::squares) {
      slim_ = std::make_unique<LossSums<Exec, T>>(exec, loss_, power_, observed, columns_.mean,
                                                  columns_.unit, false);
    }
    sizes_ = loss_ == Loss::squares ? scaled_norm(rows_.y) : size_of_offset(rows_);
    own_ = own_loss(loss_, power_, rows_);
    if (control_.resume != nullptr) {
      restore(*control_.resume);
      take_start(look(*full_, place_));
      return true;
    }
    if (loss_ == Loss::multinomial) {
      auto const intercepts = null_intercepts(of_classes);
      for (std::size_t k = 0; k < intercepts.size() && options_.has_intercept; ++k) {
        place_.x[(k + 1) * width() - 1] = intercepts[k];
      }
      take_start(look(*full_, place_));
      return true;
    }
    auto const null = null_model(loss_, power_, rows_, options_.has_intercept);
    bool const has_log_link = loss_ == Loss::poisson || is_tweedie(loss_);
    if (has_log_link && start_by_least_squares(null)) return true;
    place_.x.back() = null.intercept;
    take_start(look(*full_, place_));
    return true;
  }

  /// Starts as R's glm (docs/stopping.md). Returns false if the null model is better.
  bool start_by_least_squares(NullModel const& null) {
    LossAtPlace const start = completed(look(*full_, place_, RowsAs::start), place_);
    if (!start.is_finite()) return false;
    PlaceOfSums place{curvature_of(start).step(start.gradient), place_.step};
    LossAtPlace at = completed(look(*full_, place), place);
    if (!at.is_finite() || !(at.loss <= null.loss)) return false;
    place_ = std::move(place);
    at_ = std::move(at);
    return true;
  }

  /// One read. If `sums` has no Hessian, the previous one is used.
  LossAtPlace look(PlacedSums<Exec, T>& sums, PlaceOfSums const& place,
                   RowsAs as = RowsAs::losses) {
    sums.go_to(op_.exec(), place, as);
    auto const all = sums_over_rows<Exec, T>(op_, sums);
    return loss_ == Loss::multinomial
               ? loss_of_classes(all, sums.width(), classes_, sums.count(), options_.has_intercept)
               : loss_of(all, sums.width(), sums.count(), options_.has_intercept);
  }
  /// The loss with the penalty and without constant columns, from the sums of a read.
  LossAtPlace completed(LossAtPlace found, PlaceOfSums const& place) {
    if (found.H.rows() > 0) {
      if (constant_.empty()) mark_constants(found);
      drop_constants(found);
    } else {
      found.gradient = without_constants(std::move(found.gradient));
    }
    add_penalty(options_.penalty, columns_, place.x, found);
    return found;
  }

  /// Columns that contain only rounding count as constant: their coefficients are 0.
  void mark_constants(LossAtPlace const& at) {
    Index const n = columns_.count();
    for (Index i = 0; i < at.H.rows(); i += n + 1) {
      double const curvature = options_.has_intercept ? at.H(i + n, i + n) : 0;
      for (Index j = 0; j < n; ++j) {
        double const small = columns_.rounding[static_cast<std::size_t>(j)];
        constant_.push_back(!(at.H(i + j, i + j) > small * small * curvature));
      }
      constant_.push_back(false);
    }
  }
  void drop_constants(LossAtPlace& at) const {
    at.gradient = without_constants(std::move(at.gradient));
    for (Index j = 0; j < at.H.rows(); ++j) {
      if (!constant_[static_cast<std::size_t>(j)]) continue;
      for (Index i = 0; i < at.H.rows(); ++i) at.H(i, j) = at.H(j, i) = 0;
    }
  }
  [[nodiscard]] std::vector<double> without_constants(std::vector<double> gradient) const {
    for (std::size_t j = 0; j < constant_.size(); ++j) {
      if (constant_[j]) gradient[j] = 0;
    }
    return gradient;
  }

  /// A penalty makes H definite, so smaller pivots count. Classes share their intercepts' sum,
  /// which no penalty fixes.
  [[nodiscard]] Curvature curvature_of(LossAtPlace const& at) const {
    bool const is_definite = options_.penalty > 0 && loss_ != Loss::multinomial;
    return Curvature(at.H, std::is_same_v<T, float>, is_definite ? 4 : 64);
  }

  /// Whether another step of least squares in double recovers digits (docs/stopping.md).
  bool find_refinement() {
    if (loss_ != Loss::squares || std::is_same_v<T, float>) return false;
    refinement_ = curvature_.step(at_.gradient);
    auto const size_of = [&](std::vector<double> const& x) {
      double largest = 0;
      for (Index j = 0; j < columns_.count(); ++j) {
        double const root = std::sqrt(curvature_.H()(j, j));
        largest = std::max(largest, std::fabs(x[static_cast<std::size_t>(j)]) * root);
      }
      return largest;
    };
    double const size = size_of(refinement_);
    double const of_x = size_of(place_.x);
    double const small = 16 * std::numeric_limits<double>::epsilon() * of_x;
    bool const refines = size > small && size < size_of(place_.step) / 2;
    // H is too inexact to find small parts of its columns that the penalty does not determine.
    // Steps within the rounding of y are excluded: if y is constant, x consists of rounding.
    double const rounding = 16 * std::numeric_limits<double>::epsilon() * sizes_;
    is_imprecise_ =
        !refines && options_.penalty > 0 && !is_shortest_ && size > 1e-3 * of_x && size > rounding;
    return refines;
  }
  [[nodiscard]] PlaceOfSums refined() const {
    PlaceOfSums to{place_.x, refinement_};
    for (std::size_t j = 0; j < refinement_.size(); ++j) to.x[j] += refinement_[j];
    return to;
  }

  /// Whether H leaves other coefficients with the same η.
  [[nodiscard]] bool has_dependent() const {
    bool const has_sum =
        options_.penalty > 0 && loss_ == Loss::multinomial && options_.has_intercept;
    return curvature_.factor().rank() + (has_sum ? 1 : 0) < curvature_.nonzero();
  }
  PlaceOfSums shortest() {
    is_shortest_ = true;
    PlaceOfSums to{place_.x, std::vector<double>(place_.x.size(), 0.0)};
    shorten(curvature_, columns_, to.x);
    for (std::size_t j = 0; j < constant_.size(); ++j) {
      if (constant_[j]) to.x[j] = 0;
    }
    return to;
  }
  LossAtPlace look_again(PlaceOfSums const& place) {
    return look(loss_ == Loss::squares ? *slim_ : *full_, place);
  }

  /// A Newton step. accepts() may shorten it.
  std::optional<PlaceOfSums> begin_step() {
    step_ = curvature_.step(at_.gradient);
    slope_ = 0;
    for (std::size_t j = 0; j < step_.size(); ++j) {
      slope_ = std::fma(at_.gradient[j], step_[j], slope_);
    }
    looks_ = 0;
    if (!(slope_ < 0)) {
      fail();
      return std::nullopt;
    }
    length_ = 1;
    return place_at_length();
  }
  [[nodiscard]] PlaceOfSums place_at_length() const {
    PlaceOfSums to = place_;
    for (std::size_t j = 0; j < step_.size(); ++j) {
      to.x[j] = std::fma(length_, step_[j], place_.x[j]);
      to.step[j] = length_ * step_[j];
    }
    return to;
  }
  /// Whether the loss falls enough; if it changes only by rounding, whether the place is closer to
  /// the minimum. Otherwise shortens the step, or stops if that does not help.
  bool accepts(LossAtPlace const& found) {
    double const rounding = 64 * std::numeric_limits<double>::epsilon() * std::fabs(at_.loss);
    bool const falls = found.loss <= std::fma(1e-4 * length_, slope_, at_.loss);
    bool const is_level = length_ == 1 && found.loss <= at_.loss + rounding + distance_.rounding;
    if (found.is_finite() && (falls || (is_level && is_closer(found)))) return true;
    constexpr int most_looks = 60;
    if (is_level || ++looks_ == most_looks) {
      fail();
    } else {
      length_ *= shorter(length_ * slope_, found.loss - at_.loss);
    }
    return false;
  }
  /// Stops because no step lowers the loss.
  void fail() {
    has_failed_ = true;
    if (!find_separation(true)) stop(Stop::precision_limit);
  }
  [[nodiscard]] double sizes_of(LossAtPlace const& at) const {
    return loss_ == Loss::squares ? sizes_ : sizes_ * std::sqrt(at.weight);
  }
  [[nodiscard]] bool is_closer(LossAtPlace const& found) const {
    Curvature const there = loss_ == Loss::squares ? curvature_ : curvature_of(found);
    return there.distance(found, place_.x, sizes_of(found), tol_).quantity < distance_.quantity;
  }
  /// The minimum of the parabola with this slope and rise, relative to the length tried.
  static double shorter(double slope, double rise) {
    if (!std::isfinite(rise)) return 0.1;
    return std::clamp(-slope / (2 * (rise - slope)), 0.1, 0.5);
  }

  /// Whether the rows show a direction along which the loss falls without limit (docs/stopping.md).
  /// Unless `is_last`, further steps decide whether all rows are separated.
  bool find_separation(bool is_last) {
    if (loss_ == Loss::squares || options_.penalty > 0) return false;
    bool const has_classes = loss_ == Loss::logistic || loss_ == Loss::multinomial;
    bool const is_complete = has_classes && at_.wrong_side == 0;
    bool const is_partial = at_.rising == 0 && at_.falling > 0;
    if (!is_complete && !is_partial) return false;
    // If the loss falls to 0, Newton steps still lower it by about all that is left.
    bool const may_complete =
        has_classes && distance_.decrement * distance_.decrement > 0.1 * at_.loss;
    if (!is_complete && may_complete && !is_last) return false;
    auto const& direction = is_complete ? place_.x : place_.step;
    double largest = 0;
    std::vector<double> sizes;
    for (Index j = 0; j < columns_.count(); ++j) {
      sizes.push_back(0);
      for (Index i = j; i < at_.H.rows(); i += columns_.count() + 1) {
        double const size =
            std::fabs(direction[static_cast<std::size_t>(i)]) * std::sqrt(at_.H(i, i));
        sizes.back() = std::max(sizes.back(), size);
      }
      largest = std::max(largest, sizes.back());
    }
    std::string list;
    for (Index j = 0; j < columns_.count(); ++j) {
      if (!(sizes[static_cast<std::size_t>(j)] >= 1e-3 * largest) || largest == 0) continue;
      result_.columns.push_back(j);
      if (result_.columns.size() <= 10) list += (list.empty() ? "" : ", ") + std::to_string(j);
    }
    if (result_.columns.size() > 10) list += ", …";
    std::string const what = !has_classes   ? "rows with y = 0 are separated from the others"
                             : is_complete  ? "perfect separation of the classes"
                             : may_complete ? "perfect or quasi-complete separation of the classes"
                                            : "quasi-complete separation of the classes";
    stop(Stop::not_solvable, what + (list.empty() ? "" : " on columns " + list) +
                                 ": the coefficients grow without bound");
    return true;
  }

  bool tell() {
    Step const step{.iteration = result_.iterations,
                    .reads = result_.reads,
                    .residual = distance_.quantity,
                    .tolerance = tol_,
                    .objective = at_.loss + own_};
    if (options_.keep_history) result_.history.push_back(step);
    bool const goes_on = !control_.on_step || control_.on_step(step);
    bool const is_last = !goes_on || result_.iterations >= options_.maxiter;
    offer_state(control_, step, [&] { return state(); }, is_last);
    return goes_on;
  }

  void finish() {
    auto const n = static_cast<std::size_t>(op_.cols());
    std::vector<T> x;
    std::vector<double> intercepts;
    for (std::size_t i = 0; i < place_.x.size(); i += n + 1) {
      double intercept = place_.x[i + n];
      for (std::size_t j = 0; j < n; ++j) {
        x.push_back(columns_.mean.empty() ? T(0)
                                          : static_cast<T>(place_.x[i + j] * columns_.unit[j]));
        // Uses the rounded coefficient, so that the mean of η is right.
        if (columns_.mean.empty()) continue;
        intercept = std::fma(-columns_.mean[j], static_cast<double>(x.back()), intercept);
      }
      intercepts.push_back(options_.has_intercept ? intercept : 0);
    }
    from_host<Exec, T>(op_.exec(), x, result_.x);
    if (loss_ != Loss::multinomial) {
      result_.intercept = intercepts[0];
    } else {
      // Adding a number to all of them changes no probability.
      double mean = 0;
      for (double const b : intercepts) mean += b / static_cast<double>(classes_);
      for (double& b : intercepts) b -= mean;
      result_.intercepts = intercepts;
    }
    result_.bound = tol_;
    result_.quantity = distance_.quantity;
    result_.decrement = distance_.decrement;
    result_.scaled_gradient = distance_.scaled_gradient;
    if (at_.gradient.empty()) return;
    result_.loss = at_.loss + own_;
    result_.deviance = at_.deviance;
    std::vector<double> gradient;
    for (std::size_t i = 0; i < at_.gradient.size(); i += n + 1) {
      for (std::size_t j = 0; j < n; ++j) {
        gradient.push_back(std::fma(columns_.mean[j], at_.gradient[i + n],
                                    at_.gradient[i + j] / columns_.unit[j]));
      }
      gradient.push_back(at_.gradient[i + n]);
    }
    result_.gradient_norm = scaled_norm(gradient);
    if (curvature_.H().rows() > 0) describe();
  }

  /// Gamma and Tweedie use the expected Hessian, with one more read.
  void describe() {
    double pearson = 0;
    if (is_tweedie(loss_)) {
      LossAtPlace const expected = completed(look(*full_, place_, RowsAs::expected), place_);
      if (!expected.is_finite()) return;
      pearson = expected.deviance;
      curvature_ = curvature_of(expected);
    }
    SmallCholesky const& factor = curvature_.factor();
    auto const n = static_cast<std::size_t>(op_.cols());
    result_.rank = factor.rank();
    double const left = rows_.total_weight() - static_cast<double>(factor.rank());
    if (loss_ == Loss::squares) {
      result_.dispersion = left > 0 ? at_.deviance / left : std::nan("");
    }
    if (is_tweedie(loss_)) result_.dispersion = left > 0 ? pearson / left : std::nan("");
    result_.aic = aic_of(loss_, rows_, at_.deviance, result_.dispersion, factor.rank());
    // With several classes, only differences of coefficients have errors.
    bool const has_errors = options_.penalty == 0 && loss_ != Loss::multinomial;
    if (!has_errors || result_.stop == Stop::not_solvable) return;
    auto const inverse = factor.inverse_diagonal();
    double const root = std::sqrt(result_.dispersion);
    std::vector<double> of_intercept(n + 1);
    for (std::size_t j = 0; j < n; ++j) {
      of_intercept[j] = -columns_.mean[j] * columns_.unit[j];
      result_.standard_errors.push_back(
          inverse[j] > 0 ? columns_.unit[j] * root * std::sqrt(inverse[j]) : std::nan(""));
      if (constant_[j]) of_intercept[j] = 0;
    }
    of_intercept[n] = 1;
    double squares = 0;
    for (double const y : factor.forward(of_intercept)) squares = std::fma(y, y, squares);
    result_.standard_errors.push_back(options_.has_intercept ? root * std::sqrt(squares)
                                                             : std::nan(""));
  }

  [[nodiscard]] State<T> state() const {
    State<T> state{.of = state_of<T>(name(), op_), .iteration = result_.iterations};
    state.numbers = {options_.penalty, tol_, is_shortest_ ? 1.0 : 0.0, power_};
    state.numbers.insert(state.numbers.end(), place_.x.begin(), place_.x.end());
    state.numbers.insert(state.numbers.end(), place_.step.begin(), place_.step.end());
    state.numbers.insert(state.numbers.end(), constant_.begin(), constant_.end());
    state.history = result_.history;
    return state;
  }
  void restore(State<T> const& state) {
    require_state_of(name(), state.of, state_of<T>(name(), op_));
    constexpr std::size_t own = 4;
    std::size_t const size = place_.x.size();
    bool const fits = state.iteration >= 0 && state.vectors.empty() &&
                      state.numbers.size() == own + 3 * size && all_finite(state.numbers) &&
                      state.numbers[0] == options_.penalty && state.numbers[3] == power_ &&
                      (state.numbers[2] == 0 || state.numbers[2] == 1);
    if (!fits) fail_of_state(name());
    is_shortest_ = state.numbers[2] == 1;
    std::copy_n(state.numbers.begin() + own, size, place_.x.begin());
    std::copy_n(state.numbers.begin() + static_cast<std::ptrdiff_t>(own + size), size,
                place_.step.begin());
    for (std::size_t j = 0; j < size; ++j) {
      constant_.push_back(state.numbers[own + 2 * size + j] != 0);
    }
    result_.iterations = state.iteration;
    result_.history = state.history;
  }

  Loss loss_;
  double power_;
  Operator const& op_;
  HostObservations rows_;
  RegressionOptions options_;
  Control<T> const& control_;
  double tol_;
  Index classes_;     ///< 1 unless multinomial
  double sizes_ = 0;  ///< norm of y for squares; for other losses see `size_of_offset`
  double own_ = 0;    ///< loss minus half the deviance
  ScaledColumns columns_;
  std::vector<bool> constant_;
  std::unique_ptr<PlacedSums<Exec, T>> full_;
  /// Without a Hessian: the Hessian of squares is always the same.
  std::unique_ptr<PlacedSums<Exec, T>> slim_;
  PlaceOfSums place_;
  LossAtPlace at_;
  Curvature curvature_;
  Distance distance_;
  std::vector<double> refinement_;  ///< the step of `refined`
  std::vector<double> step_;        ///< of Newton, at the present place
  double slope_ = 0;                ///< of the loss along it
  double length_ = 0;               ///< part of it that is tried; 0: none is
  int looks_ = 0;                   ///< lengths that were refused
  bool has_begun_ = false;
  bool has_failed_ = false;
  Index reads_before_ = 0;
  bool is_shortest_ = false;
  bool is_imprecise_ = false;
  Regression<Exec, T> result_;
};

}  // namespace tessera::solve::detail
