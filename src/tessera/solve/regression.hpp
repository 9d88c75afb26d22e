// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/compiled.hpp>
#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/checks.hpp>
#include <tessera/kernels/elementary.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/maps.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/golub_kahan.hpp>
#include <tessera/solve/limited_memory.hpp>
#include <tessera/solve/operator.hpp>
#include <tessera/vectors.hpp>

namespace tessera::solve {

/// What a regression adds up over the rows, of η = A·x + intercept and the row's y.
enum class Loss {
  squares,   ///< (η - y)²/2
  logistic,  ///< log(1 + e^η) - y·η, labels y of 0 and 1
  poisson,   ///< e^η - y·η, counts y
};

/// How the minimum is found.
enum class RegressionSolver {
  newton_cg,  ///< steps of a truncated Newton method: few, of several reads
  lbfgs,      ///< steps by the last gradients: many, mostly of one read
};

/// Options of regressions.
struct RegressionOptions {
  double penalty = 0;         ///< λ: λ·‖x‖²/2 is added to the loss; the intercept is free
  bool has_intercept = true;  ///< else it is 0
  double tol = 0;             ///< of the gradient, relative to that at 0; 0: √ε of the scalar type
  RegressionSolver solver = RegressionSolver::newton_cg;
  Index maxiter = 100;     ///< steps
  Index max_products = 0;  ///< Hessian products of a Newton step; 0: n + 1, at most 200
  bool keep_history = false;
};

/// The fit of a regression.
template <class Exec, class T>
struct Regression {
  Values<Exec, T> x;  ///< one coefficient a column
  double intercept = 0;
  Stop stop = Stop::breakdown;
  Index iterations = 0;
  Index reads = 0;           ///< of A, by this call
  double loss = 0;           ///< with the penalty
  double gradient_norm = 0;  ///< of the loss with the penalty, by x and the intercept
  std::vector<Step> history;
};

namespace detail {

/// Of each row at η + step·(change + shift): the loss, its derivative and its second derivative.
template <class T>
struct Losses {
  Loss loss;
  T const* eta;
  T step;
  T const* change;
  T shift;
  T const* y;
  T* value;
  T* first;
  T* second;

  KOKKOS_FUNCTION void operator()(Index i) const {
    T const at = step == T(0) ? eta[i] : Kokkos::fma(step, change[i] + shift, eta[i]);
    if (loss == Loss::squares) {
      T const off = at - y[i];
      set(i, T(0.5) * off * off, off, T(1));
    } else if (loss == Loss::logistic) {
      T const e = elementary::exp(-Kokkos::fabs(at));  // of at most 1
      T const d = T(1) + e;
      T const larger = Kokkos::fmax(at, T(0));
      set(i, Kokkos::fma(-y[i], at, larger) + elementary::log1p(e),
          (at < T(0) ? e : T(1)) / d - y[i], e / (d * d));
    } else {
      T const e = elementary::exp(at);
      set(i, Kokkos::fma(-y[i], at, e), e - y[i], e);
    }
  }
  KOKKOS_FUNCTION void set(Index i, T v, T f, T s) const {
    value[i] = v;
    first[i] = f;
    second[i] = s;
  }
};

/// η = η + step·(change + shift)
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

/// Truncated Newton steps: conjugate gradients solve for each, and A times the step is put together
/// from their products, so that a line search reads no matrix. Or steps of L-BFGS: each place that
/// the line search looks at is a read, which gives the gradient there, too.
template <class Exec, class T>
class RegressionRun {
 public:
  using Operator = NormalOperator<Exec, T>;
  using V = Values<Exec, T>;

  RegressionRun(Loss loss, Operator const& op, ConstValues<Exec, T> y,
                RegressionOptions const& options, Control<T> const& control)
      : loss_(loss),
        op_(op),
        y_(std::move(y)),
        options_(options),
        control_(control),
        dot_(op.exec()),
        memory_(op.exec()),
        ones_(ones<Exec, T>(op.exec(), op.rows())) {
    auto const rows = [&] { return make_values<Exec, T>(op.exec(), op.rows()); };
    auto const cols = [&] { return make_values<Exec, T>(op.exec(), op.cols()); };
    for (V* const of_rows : {&eta_, &change_, &product_, &value_, &first_, &second_}) {
      *of_rows = rows();
    }
    for (V* const of_cols : {&x_, &gradient_, &border_, &step_, &residual_, &p_, &Hp_}) {
      *of_cols = cols();
    }
    if (static_cast<Index>(y_.extent(0)) != op.rows()) {
      checks::fail(name(), "y must have " + std::to_string(op.rows()) + " entries, found " +
                               std::to_string(y_.extent(0)));
    }
    if (!(options.penalty >= 0) || !(options.tol >= 0) || options.maxiter < 0 ||
        options.max_products < 0) {
      checks::fail(name(), "expected options that are not negative");
    }
  }

  Regression<Exec, T> operator()() {
    backends::host::OrdinaryArithmetic const mode;
    Index const reads_before = op_.reads();
    op_.agree(name(), [&] {
      return digest_of(control_)
          .add(options_.penalty, options_.has_intercept, options_.tol, is_lbfgs(), options_.maxiter,
               options_.max_products)
          .add(to_host<Exec, T>(op_.exec(), y_))
          .value();
    });
    start();
    for (bool is_new = false;; is_new = true) {
      find_gradient();
      if (norm_at_0_ < 0) norm_at_0_ = norm_;
      result_.reads = op_.reads() - reads_before;
      bool const goes_on = !is_new || tell();
      if (!std::isfinite(norm_) || !std::isfinite(objective_)) {
        result_.stop = Stop::not_finite;
      } else if (norm_ <= tolerance() * norm_at_0_) {
        result_.stop = Stop::converged;
      } else if (!goes_on) {
        result_.stop = Stop::cancelled;
      } else if (result_.iterations >= options_.maxiter) {
        result_.stop = Stop::iteration_limit;
      } else if (!(is_lbfgs() ? go_by_memory() : go_by_newton())) {
        result_.stop = Stop::breakdown;
      } else {
        ++result_.iterations;
        continue;
      }
      break;
    }
    result_.x = x_;
    result_.intercept = intercept_;
    result_.loss = objective_;
    result_.gradient_norm = norm_;
    result_.reads = op_.reads() - reads_before;
    return std::move(result_);
  }

 private:
  static constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());

  [[nodiscard]] bool is_lbfgs() const { return options_.solver == RegressionSolver::lbfgs; }
  [[nodiscard]] char const* name() const {
    constexpr char const* names[][2]{{"linear_regression", "linear_regression by lbfgs"},
                                     {"logistic_regression", "logistic_regression by lbfgs"},
                                     {"poisson_regression", "poisson_regression by lbfgs"}};
    return names[static_cast<int>(loss_)][is_lbfgs() ? 1 : 0];
  }
  [[nodiscard]] double tolerance() const {
    return options_.tol > 0 ? options_.tol : std::sqrt(eps);
  }

  double dot_of(ConstValues<Exec, T> const& a, ConstValues<Exec, T> const& b) { return dot_(a, b); }
  void add(double a, ConstValues<Exec, T> const& x, double b, V const& y) const {
    axpby(op_.exec(), static_cast<T>(a), x, static_cast<T>(b), y);
  }
  [[nodiscard]] double penalty_of(double xx) const { return options_.penalty * xx / 2; }

  /// The sum of the losses of the rows at η + step·(change + shift).
  double evaluate(double step) {
    static std::string const label("tessera::regression::losses");
    for_each_element(op_.exec(), label, op_.rows(),
                     Losses<T>{loss_, eta_.data(), static_cast<T>(step), change_.data(),
                               static_cast<T>(intercept_step_), y_.data(), value_.data(),
                               first_.data(), second_.data()});
    return dot_of(ones_, value_);
  }

  void start() {
    Exec const& exec = op_.exec();
    Kokkos::deep_copy(exec, x_, T(0));
    Kokkos::deep_copy(exec, eta_, T(0));
    Kokkos::deep_copy(exec, change_, T(0));
    if (control_.resume != nullptr) restore(*control_.resume);
    if (is_lbfgs()) {
      if (control_.resume == nullptr) objective_ = look_at(x_, intercept_, gradient_);
      return;
    }
    double const found = evaluate(0);
    objective_ = control_.resume != nullptr ? control_.resume->numbers[3] : found;
  }

  /// Of what `evaluate` has left; one read, unless `look_at` has found it.
  void find_gradient() {
    if (!is_lbfgs()) {
      op_.multiply_transposed(first_, gradient_);
      add(options_.penalty, x_, 1, gradient_);
      intercept_gradient_ = options_.has_intercept ? dot_of(ones_, first_) : 0;
    }
    double const squares = dot_of(gradient_, gradient_);
    // Of smaller sums, entries whose squares are subnormal may be a part that counts.
    if (squares < static_cast<double>(std::numeric_limits<T>::min()) / (eps * eps)) {
      std::vector<T> const entries = to_host<Exec, T>(op_.exec(), gradient_);
      std::vector<double> all(entries.begin(), entries.end());
      all.push_back(intercept_gradient_);
      norm_ = scaled_norm(all);
    } else {
      norm_ = std::sqrt(std::fma(intercept_gradient_, intercept_gradient_, squares));
    }
  }

  /// An approximate solution of H·step = -gradient by conjugate gradients: a read each, and one for
  /// the intercept.
  void find_step() {
    Exec const& exec = op_.exec();
    double weight = 0;
    if (options_.has_intercept) {
      op_.multiply_transposed(second_, border_);
      weight = dot_of(ones_, second_);
    }
    Kokkos::deep_copy(exec, step_, T(0));
    Kokkos::deep_copy(exec, change_, T(0));
    intercept_step_ = 0;
    add(-1, gradient_, 0, residual_);
    add(-1, gradient_, 0, p_);
    double residual = -intercept_gradient_;
    double q = residual;
    double squares = norm_ * norm_;
    double const enough = norm_ * std::min(0.5, std::sqrt(norm_ / norm_at_0_));
    Index const most =
        options_.max_products > 0 ? options_.max_products : std::min(op_.cols() + 1, Index{200});
    for (Index product = 0; product < most && std::sqrt(squares) > enough; ++product) {
      op_.atax(p_, maps::weights(second_), product_, Hp_, true);
      double Hq = 0;
      if (options_.has_intercept) {
        Hq = std::fma(weight, q, dot_of(border_, p_));
        add(q, border_, 1, Hp_);
      }
      add(options_.penalty, p_, 1, Hp_);
      double const curvature = std::fma(q, Hq, dot_of(p_, Hp_));
      if (!(curvature > 0) || !std::isfinite(curvature)) break;
      double const length = squares / curvature;
      add(length, p_, 1, step_);
      add(length, product_, 1, change_);
      intercept_step_ = std::fma(length, q, intercept_step_);
      add(-length, Hp_, 1, residual_);
      residual = std::fma(-length, Hq, residual);
      double const next = std::fma(residual, residual, dot_of(residual_, residual_));
      add(1, residual_, next / squares, p_);
      q = std::fma(next / squares, q, residual);
      squares = next;
    }
  }

  /// Goes along the step until the objective has fallen enough. False: it does not fall.
  bool search() {
    double const slope = std::fma(intercept_gradient_, intercept_step_, dot_of(gradient_, step_));
    if (!(slope < 0)) return false;
    double const xx = dot_of(x_, x_);
    double const xs = dot_of(x_, step_);
    double const ss = dot_of(step_, step_);
    double const rounding = 8 * eps * std::abs(objective_);
    for (double length = 1; length > 0x1p-40; length /= 2) {
      double const found =
          evaluate(length) + penalty_of(std::fma(length, std::fma(length, ss, 2 * xs), xx));
      if (!(found <= std::fma(1e-4 * length, slope, objective_) + rounding)) continue;
      static std::string const label("tessera::regression::advance");
      for_each_element(op_.exec(), label, op_.rows(),
                       Advance<T>{eta_.data(), static_cast<T>(length), change_.data(),
                                  static_cast<T>(intercept_step_)});
      add(length, step_, 1, x_);
      intercept_ = std::fma(length, intercept_step_, intercept_);
      objective_ = found;
      return true;
    }
    return false;
  }

  bool go_by_newton() {
    find_step();
    return search();
  }

  // ---- L-BFGS ----

  /// The objective at a place, and the gradient there, by one read.
  double look_at(ConstValues<Exec, T> const& x, double intercept, V const& gradient) {
    if (loss_ == Loss::logistic) {
      op_.atax(x, maps::logistic(y_, static_cast<T>(intercept)), eta_, gradient, true);
    } else if (loss_ == Loss::poisson) {
      op_.atax(x, maps::poisson(y_, static_cast<T>(intercept)), eta_, gradient, true);
    } else {
      add(1, y_, 0, product_);
      add(-intercept, ones_, 1, product_);
      op_.atax(x, maps::minus(product_), eta_, gradient, true);
    }
    intercept_step_ = intercept;
    double const found = evaluate(1);
    add(options_.penalty, x, 1, gradient);
    intercept_gradient_ = options_.has_intercept ? dot_of(ones_, first_) : 0;
    return found + penalty_of(dot_of(x, x));
  }

  /// A step. False: the objective does not fall.
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
                    .residual = norm_,
                    .tolerance = tolerance() * norm_at_0_,
                    .objective = objective_};
    if (options_.keep_history) result_.history.push_back(step);
    bool const goes_on = !control_.on_step || control_.on_step(step);
    offer_state(control_, step, [&] { return state(); });
    return goes_on;
  }

  // ---- states ----

  [[nodiscard]] stream::StateOf of() const {
    return {.operation = name(),
            .scalar = std::is_same_v<T, float> ? "float" : "double",
            .layout = op_.layout(),
            .order = stream::order_version,
            .rows = op_.rows(),
            .cols = op_.cols()};
  }
  [[nodiscard]] State<T> state() const {
    Exec const& exec = op_.exec();
    State<T> state{.of = of(), .iteration = result_.iterations};
    state.numbers = {intercept_, norm_at_0_, options_.penalty, objective_};
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
    if (!(state.of == of())) {
      checks::fail(name(), "expected a state of " + stream::to_string(of()) + ", found one of " +
                               stream::to_string(state.of));
    }
    std::size_t const numbers = is_lbfgs() ? 5 : 4;
    bool const fits =
        state.iteration >= 0 && state.numbers.size() >= numbers && state.vectors.size() >= 2 &&
        std::isfinite(state.numbers[0]) && state.numbers[1] >= 0 &&
        state.numbers[2] == options_.penalty &&
        static_cast<Index>(state.vectors[0].size()) == op_.cols() &&
        static_cast<Index>(state.vectors[1].size()) == (is_lbfgs() ? op_.cols() : op_.rows()) &&
        (is_lbfgs() ? memory_.restore(state, numbers, 2, op_.cols())
                    : state.numbers.size() == numbers && state.vectors.size() == 2);
    if (!fits) fail_of_state(name());
    intercept_ = state.numbers[0];
    norm_at_0_ = state.numbers[1];
    from_host<Exec, T>(op_.exec(), state.vectors[0], x_);
    from_host<Exec, T>(op_.exec(), state.vectors[1], is_lbfgs() ? gradient_ : eta_);
    if (is_lbfgs()) {
      objective_ = state.numbers[3];
      intercept_gradient_ = state.numbers[4];
    }
    result_.iterations = state.iteration;
    result_.history = state.history;
  }

  Loss loss_;
  Operator const& op_;
  ConstValues<Exec, T> y_;
  RegressionOptions options_;
  Control<T> const& control_;
  Dots<Exec, T> dot_;
  LimitedMemory<Exec, T> memory_;
  V ones_;

  V eta_;      ///< A·x + intercept; of L-BFGS A·x
  V change_;   ///< A·step
  V product_;  ///< A·p
  V value_;    ///< of each row, what Losses says
  V first_;
  V second_;
  V x_;
  V gradient_;
  V border_;  ///< the Hessian's column of the intercept
  V step_;
  V residual_;
  V p_;
  V Hp_;
  double intercept_ = 0;
  double intercept_gradient_ = 0;
  double intercept_step_ = 0;
  double objective_ = 0;
  double norm_ = 0;
  double norm_at_0_ = -1;
  Regression<Exec, T> result_;
};

template <class Exec, class T>
Regression<Exec, T> run_regression(Loss loss, NormalOperator<Exec, T> const& op,
                                   ConstValues<Exec, T> const& y, RegressionOptions const& options,
                                   Control<T> const& control) {
  return RegressionRun<Exec, T>(loss, op, y, options, control)();
}

}  // namespace detail

/// x and an intercept that minimise Σ (η_i - y_i)²/2 + λ·‖x‖²/2 with η = A·x + intercept
///
/// | argument | | |
/// |---|---|---|
/// | op | m x n | in: the matrix A, one observation a row |
/// | y | m | in |
/// | options | | λ, intercept, solver, tolerance, limits |
/// | control | | progress, cancellation, states between steps |
///
/// Work: a Newton step reads A once for the gradient, once for each product with the Hessian, and
/// once for the intercept; its line search reads nothing. A step of L-BFGS reads A once for each
/// length that its line search tries, mostly one. Memory: 7m + 7n scalars, of L-BFGS 27n.
///
/// Guarantees: the bits of the result are a function of A, its layout, y and the options, whatever
/// the backend, and whether A is streamed or the run was interrupted between two steps. It
/// has converged where the gradient's norm has fallen to `tol` times that at 0. It stops with
/// Stop::breakdown where the loss does not fall along a step, and with Stop::not_finite where a
/// number overflows or A or y has an infinity or a NaN. Throws std::invalid_argument for sizes,
/// options and states that do not fit.
///
/// Source: truncated Newton (R. S. Dembo and T. Steihaug, Math. Program. 26, 1983); L-BFGS (D. C.
/// Liu and J. Nocedal, Math. Program. 45, 1989) with bisection for the weak Wolfe conditions (A. S.
/// Lewis and M. L. Overton, Math. Program. 141, 2013).
template <ExecutionSpace Exec, Scalar T>
Regression<Exec, T> linear_regression(NormalOperator<Exec, T> const& op,
                                      std::type_identity_t<ConstValues<Exec, T>> const& y,
                                      RegressionOptions const& options = {},
                                      std::type_identity_t<Control<T>> const& control = {}) {
  return detail::run_regression<Exec, T>(Loss::squares, op, y, options, control);
}

/// The same with Σ log(1 + e^η_i) - y_i·η_i for labels y of 0 and 1. Where a plane parts the labels
/// and λ is 0, x grows until the gradient is small.
template <ExecutionSpace Exec, Scalar T>
Regression<Exec, T> logistic_regression(NormalOperator<Exec, T> const& op,
                                        std::type_identity_t<ConstValues<Exec, T>> const& y,
                                        RegressionOptions const& options = {},
                                        std::type_identity_t<Control<T>> const& control = {}) {
  return detail::run_regression<Exec, T>(Loss::logistic, op, y, options, control);
}

/// The same with Σ e^η_i - y_i·η_i for counts y.
template <ExecutionSpace Exec, Scalar T>
Regression<Exec, T> poisson_regression(NormalOperator<Exec, T> const& op,
                                       std::type_identity_t<ConstValues<Exec, T>> const& y,
                                       RegressionOptions const& options = {},
                                       std::type_identity_t<Control<T>> const& control = {}) {
  return detail::run_regression<Exec, T>(Loss::poisson, op, y, options, control);
}

}  // namespace tessera::solve

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_SOLVE_REGRESSION(TEMPLATE, EXEC, T)                                         \
  namespace tessera::solve::detail {                                                        \
  TEMPLATE Regression<EXEC, T> run_regression(Loss, NormalOperator<EXEC, T> const&,         \
                                              ConstValues<EXEC, T> const&,                  \
                                              RegressionOptions const&, Control<T> const&); \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_SOLVE_REGRESSION)
