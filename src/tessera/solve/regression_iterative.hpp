// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/maps.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/limited_memory.hpp>
#include <tessera/solve/normal_operator.hpp>
#include <tessera/solve/regression_columns.hpp>
#include <tessera/solve/regression_observations.hpp>
#include <tessera/solve/regression_rows.hpp>
#include <tessera/solve/regression_types.hpp>
#include <tessera/solve/values.hpp>
#include <tessera/vectors.hpp>

/// Regressions of any number of columns.
namespace tessera::solve::detail {

/// Newton steps by conjugate gradients, or L-BFGS. A line search of the former reads nothing: it
/// adds up A times the step from products, and η is recomputed before convergence is reported. x,
/// gradients and steps belong to the scaled columns.
template <class Exec, class T>
class IterativeRun {
 public:
  using Operator = NormalOperator<Exec, T>;
  using V = Values<Exec, T>;

  IterativeRun(Loss loss, Operator const& op, Observations<Exec, T> const& observed,
               RegressionOptions const& options, Control<T> const& control)
      : loss_(loss),
        power_(power_of(loss, options.power)),
        op_(op),
        observed_(observed),
        rows_(observations_of<Exec, T>(op.exec(), loss, observed, op.rows())),
        options_(options),
        control_(control),
        columns_(op),
        dot_(op.exec()),
        memory_(op.exec()),
        ones_(ones<Exec, T>(op.exec(), op.rows())) {
    auto const rows = [&] { return make_values<Exec, T>(op.exec(), op.rows()); };
    auto const cols = [&] { return make_values<Exec, T>(op.exec(), op.cols()); };
    for (V* const of_rows : {&eta_, &change_, &product_, &value_, &first_, &second_, &wrong_}) {
      *of_rows = rows();
    }
    for (V* const of_cols :
         {&x_, &own_, &gradient_, &border_, &step_, &residual_, &p_, &Hp_, &work_}) {
      *of_cols = cols();
    }
    Kokkos::deep_copy(op.exec(), x_, T(0));
    Kokkos::deep_copy(op.exec(), change_, T(0));
  }

  Regression<Exec, T> operator()() {
    backends::host::OrdinaryArithmetic const mode;
    Index const reads_before = op_.reads();
    auto const obstacle = obstacle_of(loss_, power_, rows_, options_.has_intercept);
    bool const has_one_unit =
        loss_ == Loss::squares && options_.penalty == 0 && op_.rows() <= op_.cols();
    if (obstacle.stop != Stop::converged) {
      stop(obstacle.stop, obstacle.detail);
    } else if (!columns_.find(options_.has_intercept, has_one_unit, ones_)) {
      std::string const where = op_.can_sum_rows() ? not_finite_in_matrix(op_) : "";
      stop(Stop::not_finite, where.empty() ? "sums of A's entries overflow" : where);
    } else {
      start();
      iterate(reads_before);
    }
    finish();
    result_.reads = op_.reads() - reads_before;
    return std::move(result_);
  }

 private:
  static constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());

  [[nodiscard]] bool is_lbfgs() const { return options_.solver == RegressionSolver::lbfgs; }
  [[nodiscard]] char const* name() const { return name_of(loss_, options_.solver); }
  [[nodiscard]] double tolerance() const {
    return options_.tol > 0 ? options_.tol : std::sqrt(eps);
  }
  void stop(Stop why, std::string detail = "") {
    result_.stop = why;
    result_.detail = std::move(detail);
  }

  void add(double a, ConstValues<Exec, T> const& x, double b, V const& y) const {
    axpby(op_.exec(), static_cast<T>(a), x, static_cast<T>(b), y);
  }
  double penalty_of(ConstValues<Exec, T> const& a, ConstValues<Exec, T> const& b) {
    if (options_.penalty == 0) return 0;
    columns_.to_penalty(b, work_);
    return options_.penalty * dot_(a, work_) / 2;
  }
  void add_penalty_gradient(ConstValues<Exec, T> const& x, V const& y) {
    if (options_.penalty == 0) return;
    columns_.to_penalty(x, work_);
    add(options_.penalty, work_, 1, y);
  }

  /// Returns half the deviance at η + step·(change + shift).
  double evaluate(double step) {
    static std::string const label("tessera::regression::losses");
    for_each_element(op_.exec(), label, op_.rows(),
                     Losses<T>{loss_, static_cast<T>(power_), eta_.data(), static_cast<T>(step),
                               change_.data(), static_cast<T>(intercept_step_), observed_.y.data(),
                               data_of(observed_.weights), data_of(observed_.offset), value_.data(),
                               first_.data(), second_.data(), wrong_.data()});
    return dot_(ones_, value_);
  }

  void start() {
    size_of_offset_ = size_of_offset(rows_);
    intercept_ = null_model(loss_, power_, rows_, options_.has_intercept).intercept;
    if (control_.resume != nullptr) restore(*control_.resume);
    if (is_lbfgs()) {
      if (control_.resume == nullptr) objective_ = look_at(x_, intercept_, gradient_);
      return;
    }
    if (control_.resume == nullptr) add(intercept_, ones_, 0, eta_);
    double const found = evaluate(0);
    objective_ = control_.resume != nullptr ? control_.resume->numbers[3] : found;
  }

  void refresh() {
    columns_.to_own(x_, own_);
    op_.multiply(own_, eta_);
    add(columns_.own_intercept(own_, intercept_), ones_, 1, eta_);
    objective_ = evaluate(0) + penalty_of(x_, x_);
    is_exact_ = true;
  }

  void iterate(Index reads_before) {
    for (bool is_new = false;;) {
      find_gradient();
      result_.reads = op_.reads() - reads_before;
      if (is_new && !tell()) is_cancelled_ = true;
      bool const is_finite = std::isfinite(norm_) && std::isfinite(objective_);
      bool const is_close = is_finite && result_.quantity <= tolerance();
      if (!is_finite) return stop(Stop::not_finite, "a sum over the rows overflows");
      bool const may_separate = loss_ == Loss::logistic && options_.penalty == 0;
      if (may_separate && dot_(ones_, wrong_) < 0.5) {
        return stop(Stop::not_solvable,
                    "perfect separation of the classes: the coefficients grow without bound");
      }
      if (is_close && is_exact_) return stop(Stop::converged);
      if (!is_close && is_cancelled_) return stop(Stop::cancelled);
      if (!is_close && result_.iterations >= options_.maxiter) return stop(Stop::iteration_limit);
      if (is_close || !(is_lbfgs() ? go_by_memory() : go_by_newton())) {
        if (is_exact_) return stop(Stop::precision_limit);
        refresh();
        is_new = false;
        continue;
      }
      ++result_.iterations;
      is_new = true;
    }
  }

  void find_gradient() {
    if (!is_lbfgs()) {
      op_.multiply_transposed(first_, own_);
      intercept_gradient_ = dot_(ones_, first_);
      columns_.from_own_gradient(own_, options_.has_intercept ? intercept_gradient_ : 0, gradient_);
      if (!options_.has_intercept) intercept_gradient_ = 0;
      add_penalty_gradient(x_, gradient_);
    }
    std::vector<T> const entries = to_host<Exec, T>(op_.exec(), gradient_);
    std::vector<double> all(entries.begin(), entries.end());
    all.push_back(intercept_gradient_);
    norm_ = scaled_norm(all);
    if (norm_at_start_ < 0) norm_at_start_ = norm_;
    double const seconds = loss_ == Loss::squares ? 0 : std::sqrt(dot_(second_, second_));
    double const answers =
        loss_ == Loss::squares ? scaled_norm(rows_.y) : seconds * size_of_offset_;
    double const rows = std::sqrt(static_cast<double>(op_.rows()));
    result_.quantity = columns_.quantity(all, x_, intercept_, std::sqrt(2 * dot_(ones_, value_)),
                                         tolerance(), std::max(1.0, seconds / rows), answers);
  }

  /// One read per product with H, and one for the intercept.
  void find_step() {
    Exec const& exec = op_.exec();
    double const weight = dot_(ones_, second_);
    auto const rows = static_cast<double>(op_.rows());
    if (options_.has_intercept) op_.multiply_transposed(second_, border_);
    Kokkos::deep_copy(exec, step_, T(0));
    Kokkos::deep_copy(exec, change_, T(0));
    intercept_step_ = 0;
    own_intercept_step_ = 0;
    add(-1, gradient_, 0, residual_);
    add(-1, gradient_, 0, p_);
    double residual = -intercept_gradient_;
    double q = residual;
    double squares = norm_ * norm_;
    double const enough = norm_ * std::min(0.5, std::sqrt(norm_ / norm_at_start_));
    Index const most =
        options_.max_products > 0 ? options_.max_products : std::min(op_.cols() + 1, Index{200});
    for (Index product = 0; product < most && std::sqrt(squares) > enough; ++product) {
      columns_.to_own(p_, own_);
      double const own_q = options_.has_intercept ? columns_.own_intercept(own_, q) : 0;
      op_.atax(own_, maps::weights(ConstValues<Exec, T>(second_)), product_, Hp_, true);
      double const Hq = multiply_intercept(own_q, weight);
      columns_.from_own_gradient(Hp_, Hq, Hp_);
      add_penalty_gradient(p_, Hp_);
      double const curvature = std::fma(q, Hq, dot_(p_, Hp_));
      // Less is rounding: A does not see this direction.
      double const noise = 16 * eps * columns_.size() * std::sqrt(weight / rows);
      if (!(curvature > noise * noise * (q * q + dot_(p_, p_))) || !std::isfinite(curvature)) {
        break;
      }
      double const length = squares / curvature;
      add(length, p_, 1, step_);
      add(length, product_, 1, change_);
      intercept_step_ = std::fma(length, q, intercept_step_);
      own_intercept_step_ = std::fma(length, own_q, own_intercept_step_);
      add(-length, Hp_, 1, residual_);
      residual = std::fma(-length, Hq, residual);
      double const next = std::fma(residual, residual, dot_(residual_, residual_));
      add(1, residual_, next / squares, p_);
      q = std::fma(next / squares, q, residual);
      squares = next;
    }
  }
  double multiply_intercept(double q, double weight) {
    if (!options_.has_intercept) return 0;
    double const Hq = std::fma(weight, q, dot_(border_, own_));
    add(q, border_, 1, Hp_);
    return Hq;
  }
  /// Returns false if no length lowers the objective enough.
  bool go_by_newton() {
    find_step();
    double const slope = std::fma(intercept_gradient_, intercept_step_, dot_(gradient_, step_));
    if (!(slope < 0)) return false;
    double const xx = penalty_of(x_, x_);
    double const xs = penalty_of(x_, step_);
    double const ss = penalty_of(step_, step_);
    double const rounding = 8 * eps * std::abs(objective_);
    std::swap(intercept_step_, own_intercept_step_);  // `change_` belongs to A's columns
    bool is_found = false;
    for (double length = 1; length > 0x1p-40 && !is_found; length /= 2) {
      double const found = evaluate(length) + std::fma(length, std::fma(length, ss, 2 * xs), xx);
      is_found = found <= std::fma(1e-4 * length, slope, objective_) + rounding;
      if (!is_found) continue;
      static std::string const label("tessera::regression::advance");
      for_each_element(op_.exec(), label, op_.rows(),
                       Advance<T>{eta_.data(), static_cast<T>(length), change_.data(),
                                  static_cast<T>(intercept_step_)});
      add(length, step_, 1, x_);
      intercept_ = std::fma(length, own_intercept_step_, intercept_);
      objective_ = found;
      is_exact_ = false;
    }
    return is_found;
  }

  /// One read; two with weights, an offset or a loss without a map.
  double look_at(ConstValues<Exec, T> const& x, double intercept, V const& gradient) {
    columns_.to_own(x, own_);
    double const shift = options_.has_intercept ? columns_.own_intercept(own_, intercept) : 0;
    ConstValues<Exec, T> const& y = observed_.y;
    bool const is_plain =
        observed_.weights.extent(0) == 0 && observed_.offset.extent(0) == 0 && !is_tweedie(loss_);
    if (!is_plain) {
      op_.multiply(own_, eta_);
    } else if (loss_ == Loss::logistic) {
      op_.atax(own_, maps::logistic(y, static_cast<T>(shift)), eta_, gradient, true);
    } else if (loss_ == Loss::poisson) {
      op_.atax(own_, maps::poisson(y, static_cast<T>(shift)), eta_, gradient, true);
    } else {
      add(1, y, 0, product_);
      add(-shift, ones_, 1, product_);
      op_.atax(own_, maps::minus(ConstValues<Exec, T>(product_)), eta_, gradient, true);
    }
    intercept_step_ = shift;
    double const found = evaluate(1);
    if (!is_plain) op_.multiply_transposed(first_, gradient);
    intercept_gradient_ = options_.has_intercept ? dot_(ones_, first_) : 0;
    columns_.from_own_gradient(gradient, intercept_gradient_, gradient);
    add_penalty_gradient(x, gradient);
    return found + penalty_of(x, x);
  }

  bool go_by_memory() {
    using Vector = Bordered<Exec, T>;
    Exec const& exec = op_.exec();
    Vector const gradient{gradient_, intercept_gradient_};
    Vector step{step_, 0};
    memory_.add(-1, gradient, 0, step);
    memory_.apply(step);
    double slope = memory_.dot(gradient, step);
    if (memory_.is_empty() || !(slope < 0)) {
      memory_.forget();
      memory_.add(-1 / norm_, gradient, 0, step);
      slope = -norm_;
    }
    double const rounding = 8 * eps * std::abs(objective_);
    double shortest = 0;
    double longest = std::numeric_limits<double>::infinity();
    Vector to{p_, 0};
    Vector there{residual_, 0};
    double length = 1;
    for (int look = 0; look < 50; ++look) {
      memory_.add(1, {x_, intercept_}, 0, to);
      memory_.add(length, step, 1, to);
      double const found = look_at(to.x, to.border, there.x);
      there.border = intercept_gradient_;
      if (!(found <= std::fma(1e-4 * length, slope, objective_) + rounding)) {
        longest = length;
      } else if (memory_.dot(there, step) < 0.9 * slope) {
        shortest = length;
      } else {
        Vector taken{make_values<Exec, T>(exec, op_.cols()), 0};
        Vector change{make_values<Exec, T>(exec, op_.cols()), 0};
        memory_.add(length, step, 0, taken);
        memory_.add(1, there, 0, change);
        memory_.add(-1, gradient, 1, change);
        memory_.learn(std::move(taken), std::move(change));
        std::swap(x_, p_);
        std::swap(gradient_, residual_);
        intercept_ = to.border;
        objective_ = found;
        return true;
      }
      length = std::isfinite(longest) ? (shortest + longest) / 2 : 2 * shortest;
    }
    return false;
  }

  bool tell() {
    Step const step{.iteration = result_.iterations,
                    .reads = result_.reads,
                    .residual = result_.quantity,
                    .tolerance = tolerance(),
                    .objective = objective_ + own_loss(loss_, power_, rows_)};
    if (options_.keep_history) result_.history.push_back(step);
    bool const goes_on = !control_.on_step || control_.on_step(step);
    bool const is_last = !goes_on || result_.iterations >= options_.maxiter;
    if (std::isfinite(norm_) && std::isfinite(objective_)) {
      offer_state(control_, step, [&] { return state(); }, is_last);
    }
    return goes_on;
  }

  void finish() {
    result_.x = make_values<Exec, T>(op_.exec(), op_.cols());
    Kokkos::deep_copy(op_.exec(), result_.x, T(0));
    result_.bound = tolerance();
    if (columns_.norms().empty() && op_.cols() > 0) return;
    columns_.to_own(x_, result_.x);
    result_.intercept = options_.has_intercept ? columns_.own_intercept(result_.x, intercept_) : 0;
    result_.loss = objective_ + own_loss(loss_, power_, rows_);
    result_.gradient_norm = norm_;
  }

  [[nodiscard]] State<T> state() const {
    Exec const& exec = op_.exec();
    State<T> state{.of = state_of<T>(name(), op_), .iteration = result_.iterations};
    state.numbers = {intercept_, norm_at_start_, options_.penalty, objective_, power_};
    if (is_lbfgs()) {
      state.numbers.push_back(intercept_gradient_);
      state.vectors = {to_host<Exec, T>(exec, x_), to_host<Exec, T>(exec, gradient_)};
      memory_.save(state);
    } else {
      state.vectors = {to_host<Exec, T>(exec, x_), to_host<Exec, T>(exec, eta_)};
    }
    state.history = result_.history;
    return state;
  }
  void restore(State<T> const& state) {
    require_state_of(name(), state.of, state_of<T>(name(), op_));
    std::size_t const numbers = is_lbfgs() ? 6 : 5;
    bool const fits =
        state.iteration >= 0 && state.numbers.size() >= numbers && state.vectors.size() >= 2 &&
        std::isfinite(state.numbers[0]) && state.numbers[1] >= 0 &&
        state.numbers[2] == options_.penalty && state.numbers[4] == power_ &&
        static_cast<Index>(state.vectors[0].size()) == op_.cols() &&
        static_cast<Index>(state.vectors[1].size()) == (is_lbfgs() ? op_.cols() : op_.rows()) &&
        (is_lbfgs() ? memory_.restore(state, numbers, 2, op_.cols())
                    : state.numbers.size() == numbers && state.vectors.size() == 2);
    if (!fits) fail_of_state(name());
    intercept_ = state.numbers[0];
    norm_at_start_ = state.numbers[1];
    from_host<Exec, T>(op_.exec(), state.vectors[0], x_);
    from_host<Exec, T>(op_.exec(), state.vectors[1], is_lbfgs() ? gradient_ : eta_);
    if (is_lbfgs()) {
      look_at(x_, intercept_, Hp_);
      objective_ = state.numbers[3];
      intercept_gradient_ = state.numbers[5];
    }
    is_exact_ = is_lbfgs();
    result_.iterations = state.iteration;
    result_.history = state.history;
  }

  Loss loss_;
  double power_;
  Operator const& op_;
  Observations<Exec, T> observed_;
  HostObservations rows_;
  RegressionOptions options_;
  Control<T> const& control_;
  CentredColumns<Exec, T> columns_;
  Dots<Exec, T> dot_;
  LimitedMemory<Exec, T> memory_;
  V ones_;

  V eta_;  ///< L-BFGS: without the intercept
  V change_;
  V product_;
  V value_;
  V first_;
  V second_;
  V wrong_;
  V x_;
  V own_;  ///< for A's columns
  V gradient_;
  V border_;  ///< Hessian's column of the intercept
  V step_;
  V residual_;
  V p_;
  V Hp_;
  V work_;
  double intercept_ = 0;
  double intercept_gradient_ = 0;
  double intercept_step_ = 0;
  double own_intercept_step_ = 0;  ///< for A's columns
  double size_of_offset_ = 1;
  double objective_ = 0;  ///< half the deviance, plus the penalty
  double norm_ = 0;
  double norm_at_start_ = -1;
  bool is_cancelled_ = false;
  bool is_exact_ = true;  ///< η is not assembled from products
  Regression<Exec, T> result_;
};

}  // namespace tessera::solve::detail
