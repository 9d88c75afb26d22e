// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/compiled.hpp>
#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/checks.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/golub_kahan.hpp>
#include <tessera/solve/operator.hpp>
#include <tessera/solve/small_svd.hpp>
#include <tessera/solve/svd.hpp>
#include <tessera/vectors.hpp>

/// The largest and smallest singular values of a matrix.
namespace tessera::solve {

struct SpectrumOptions {
  double tol = 1e-2;  ///< bound of residuals, relative to the values
  Index maxiter =
      0;  ///< 0: 1000 for `power_iteration`, 2·min(m, n) up to 200 for `condition_estimate`
};

template <class Exec, class T>
struct PowerIteration {
  double s = 0;
  Values<Exec, T> v;    ///< right singular vector
  double residual = 0;  ///< ‖Aᵀ·(A·v) - s²·v‖/s
  Stop stop = Stop::breakdown;
  Index iterations = 0;
  Index reads = 0;
};

/// Up to rounding, A has a singular value within each residual of its estimate.
struct ConditionEstimate {
  double largest = 0;   ///< at most the true one
  double smallest = 0;  ///< at least the true one, of min(m, n) values
  double largest_residual = 0;
  double smallest_residual = 0;
  double condition = 0;  ///< at most the true one
  Stop stop = Stop::breakdown;
  Index iterations = 0;
  Index reads = 0;
};

namespace detail {

inline void require_spectrum_options(char const* name, SpectrumOptions const& options) {
  if (!(options.tol >= 0) || options.maxiter < 0) {
    checks::fail(name, "tol and maxiter must be at least 0, found " + std::to_string(options.tol) +
                           " and " + std::to_string(options.maxiter));
  }
}

template <class Exec, class T>
class PowerRun {
 public:
  PowerRun(NormalOperator<Exec, T> const& op, SpectrumOptions const& options,
           Control<T> const& control)
      : op_(op),
        options_(options),
        control_(control),
        limit_(options.maxiter > 0 ? options.maxiter : 1000),
        reads_before_(op.reads()),
        norm_(op.exec()),
        dot_(op.exec()),
        u_(make_values<Exec, T>(op.exec(), op.rows())),
        x_(make_values<Exec, T>(op.exec(), op.cols())),
        c_(make_values<Exec, T>(op.exec(), op.cols())) {
    require_spectrum_options(name, options);
    result_.v = make_values<Exec, T>(op.exec(), op.cols());
  }

  PowerIteration<Exec, T> operator()() {
    backends::host::OrdinaryArithmetic const mode;
    std::optional<Stop> stop;
    op_.agree(name, [&] { return digest_of(control_).add(options_.tol, limit_).value(); });
    if (control_.resume != nullptr) {
      restore(*control_.resume);
      stop = reason();
    } else {
      stop = begin();
    }
    while (!stop) stop = step();
    result_.stop = *stop;
    result_.reads = op_.reads() - reads_before_;
    op_.exec().fence("tessera::power_iteration: v is there");
    return std::move(result_);
  }

 private:
  static constexpr auto name = "power_iteration";
  static constexpr int most_exponent = std::numeric_limits<T>::max_exponent - 2;

  struct Numbers {
    double exponent = 0;  ///< e
    double length = 0;    ///< ‖c‖
    double square = 0;    ///< (2^e·s)²
    double residual = 0;  ///< 2^e times the result's
  };

  [[nodiscard]] int exponent() const { return static_cast<int>(now_.exponent); }
  [[nodiscard]] T two_to_e() const { return static_cast<T>(std::ldexp(1.0, exponent())); }

  /// Aᵀ times a pseudorandom vector. 2^e brings its norm near 1.
  std::optional<Stop> begin() {
    Exec const& exec = op_.exec();
    mix<Exec, T>(exec, 0, u_);
    op_.multiply_transposed(u_, c_);
    double const length = norm_(c_);
    if (!std::isfinite(length)) return Stop::not_finite;
    if (length == 0) {
      Kokkos::deep_copy(exec, result_.v, T(0));
      return Stop::zero_solution;
    }
    now_.exponent = std::clamp(-std::ilogb(length), -most_exponent, most_exponent);
    scale(exec, two_to_e(), c_);
    now_.length = std::ldexp(length, exponent());
    return std::nullopt;
  }

  std::optional<Stop> step() {
    Exec const& exec = op_.exec();
    Values<Exec, T> const& v = result_.v;
    axpby(exec, static_cast<T>(1 / now_.length), c_, T(0), v);
    axpby(exec, two_to_e(), v, T(0), x_);
    op_.atax(x_, {}, {}, c_);
    scale(exec, two_to_e(), c_);
    now_.length = norm_(c_);
    now_.square = dot_(v, c_);
    ++result_.iterations;
    if (!std::isfinite(now_.length)) return Stop::not_finite;
    if (!(now_.square > 0)) return Stop::breakdown;
    axpby(exec, T(1), c_, T(0), x_);
    axpby(exec, static_cast<T>(-now_.square), v, T(1), x_);
    now_.residual = norm_(x_) / std::sqrt(now_.square);
    tell_result();
    std::optional<Stop> const stop = reason();
    bool const goes_on = tell();
    return !stop && !goes_on ? Stop::cancelled : stop;
  }

  void tell_result() {
    result_.s = std::ldexp(std::sqrt(now_.square), -exponent());
    result_.residual = std::ldexp(now_.residual, -exponent());
  }

  [[nodiscard]] std::optional<Stop> reason() const {
    if (now_.residual <= options_.tol * std::sqrt(now_.square)) return Stop::converged;
    if (result_.iterations >= limit_) return Stop::iteration_limit;
    return std::nullopt;
  }

  bool tell() {
    Step const step{.iteration = result_.iterations,
                    .reads = op_.reads() - reads_before_,
                    .residual = result_.residual,
                    .tolerance = options_.tol * result_.s,
                    .objective = result_.s};
    bool const goes_on = !control_.on_step || control_.on_step(step);
    offer_state(control_, step, [&] { return state(); });
    return goes_on;
  }

  [[nodiscard]] State<T> state() const {
    State<T> state{.of = state_of<T>(name, op_), .iteration = result_.iterations};
    append(state.numbers, now_);
    state.vectors = {to_host<Exec, T>(op_.exec(), result_.v), to_host<Exec, T>(op_.exec(), c_)};
    return state;
  }

  void restore(State<T> const& state) {
    require_state_of(name, state.of, state_of<T>(name, op_));
    auto const size = static_cast<std::size_t>(op_.cols());
    bool const fits = state.iteration >= 1 &&
                      state.numbers.size() == sizeof(Numbers) / sizeof(double) &&
                      state.vectors.size() == 2 && state.vectors[0].size() == size &&
                      state.vectors[1].size() == size && all_finite(state.numbers);
    if (!fits) fail_of_state(name);
    auto from = state.numbers.begin();
    now_ = take<Numbers>(from);
    bool const can_be = std::fabs(now_.exponent) <= most_exponent &&
                        now_.exponent == std::trunc(now_.exponent) && now_.length > 0 &&
                        now_.square > 0 && now_.residual >= 0;
    if (!can_be) fail_of_state(name);
    from_host<Exec, T>(op_.exec(), state.vectors[0], result_.v);
    from_host<Exec, T>(op_.exec(), state.vectors[1], c_);
    result_.iterations = state.iteration;
    tell_result();
  }

  NormalOperator<Exec, T> const& op_;
  SpectrumOptions const& options_;
  Control<T> const& control_;
  Index limit_;
  Index reads_before_;
  Norms<Exec, T> norm_;
  Dots<Exec, T> dot_;
  Values<Exec, T> u_;
  Values<Exec, T> x_;
  Values<Exec, T> c_;  ///< 2^2e·Aᵀ·(A·v)
  Numbers now_;
  PowerIteration<Exec, T> result_;
};

template <class Exec, class T>
PowerIteration<Exec, T> run_power_iteration(NormalOperator<Exec, T> const& op,
                                            SpectrumOptions const& options,
                                            Control<T> const& control) {
  return PowerRun<Exec, T>(op, options, control)();
}

inline SmallSvd svd_of_bidiagonal(std::vector<double> const& alphas,
                                  std::vector<double> const& betas) {
  auto const k = static_cast<Index>(betas.size());
  SmallMatrix B(k + 1, k);
  for (Index j = 0; j < k; ++j) {
    B(j, j) = alphas[static_cast<std::size_t>(j)];
    B(j + 1, j) = betas[static_cast<std::size_t>(j)];
  }
  return small_svd(std::move(B));
}

template <class Exec, class T>
class ConditionRun {
 public:
  ConditionRun(NormalOperator<Exec, T> const& op, SpectrumOptions const& options,
               Control<T> const& control)
      : op_(op),
        options_(options),
        control_(control),
        limit_(options.maxiter > 0 ? options.maxiter
                                   : std::min(2 * std::min(op.rows(), op.cols()), Index{200})),
        reads_before_(op.reads()),
        process_(op) {
    require_spectrum_options(name, options);
  }

  ConditionEstimate operator()() {
    backends::host::OrdinaryArithmetic const mode;
    std::optional<Stop> stop;
    op_.agree(name, [&] { return digest_of(control_).add(options_.tol, limit_).value(); });
    if (control_.resume != nullptr) {
      restore(*control_.resume);
      stop = reason();
    } else {
      stop = begin();
    }
    while (!stop) stop = step();
    result_.stop = *stop;
    result_.reads = op_.reads() - reads_before_;
    return result_;
  }

 private:
  static constexpr auto name = "condition_estimate";

  struct Numbers {
    double largest = 0;
    double smallest = 0;
    double largest_residual = 0;
    double smallest_residual = 0;
  };

  std::optional<Stop> begin() {
    mix<Exec, T>(op_.exec(), 0, process_.b());
    process_.start();
    if (!std::isfinite(process_.alpha())) return Stop::not_finite;
    if (process_.alpha() == 0) return Stop::zero_solution;
    alphas_.push_back(process_.alpha());
    return std::nullopt;
  }

  std::optional<Stop> step() {
    process_.advance();
    ++result_.iterations;
    if (!std::isfinite(process_.alpha()) || !std::isfinite(process_.beta())) {
      return Stop::not_finite;
    }
    betas_.push_back(process_.beta());
    alphas_.push_back(process_.alpha());
    if (process_.alpha() != 0) {
      for_each_element(op_.exec(), "tessera::solve::divide", op_.cols(),
                       Divide<T>{process_.next().data(), static_cast<T>(process_.alpha()), T(1),
                                 process_.w().data()});
    }
    std::optional<Stop> const stop = reason();
    if (stop == Stop::not_finite) return stop;
    bool const goes_on = tell();
    if (stop || goes_on) return stop;
    return estimate() ? Stop::cancelled : Stop::not_finite;
  }

  /// At growing intervals, because the SVD grows.
  [[nodiscard]] bool is_estimate_due() const {
    Index next = 1;
    while (next < result_.iterations) next += 1 + next / 4;
    return next == result_.iterations;
  }

  std::optional<Stop> reason() {
    bool const is_last = process_.alpha() == 0 || result_.iterations >= limit_;
    if (!is_last && !is_estimate_due()) return std::nullopt;
    if (!estimate()) return Stop::not_finite;
    if (result_.largest_residual <= options_.tol * result_.largest &&
        result_.smallest_residual <= options_.tol * result_.smallest) {
      return Stop::converged;
    }
    if (is_last) return Stop::iteration_limit;
    return std::nullopt;
  }

  bool estimate() {
    SmallSvd const small = svd_of_bidiagonal(alphas_, betas_);
    if (!small.is_converged) return false;
    auto const k = static_cast<Index>(betas_.size());
    // Aᵀ·u = s·v + α·v_next·(the last entry of U's column)
    auto const residual = [&](Index i) {
      return process_.unscaled(process_.alpha() * std::abs(small.U(k, i)));
    };
    tell_result({.largest = process_.unscaled(small.s.front()),
                 .smallest = process_.unscaled(small.s.back()),
                 .largest_residual = residual(0),
                 .smallest_residual = residual(k - 1)});
    return true;
  }

  void tell_result(Numbers const& found) {
    result_.largest = found.largest;
    result_.smallest = found.smallest;
    result_.largest_residual = found.largest_residual;
    result_.smallest_residual = found.smallest_residual;
    result_.condition = found.largest / found.smallest;
  }

  bool tell() {
    Step const step{.iteration = result_.iterations,
                    .reads = op_.reads() - reads_before_,
                    .residual = result_.smallest_residual,
                    .tolerance = options_.tol * result_.smallest,
                    .objective = result_.condition};
    bool const goes_on = !control_.on_step || control_.on_step(step);
    if (process_.alpha() != 0) offer_state(control_, step, [&] { return state(); });
    return goes_on;
  }

  [[nodiscard]] State<T> state() const {
    State<T> state{.of = state_of<T>(name, op_), .iteration = result_.iterations};
    append(state.numbers, process_.numbers());
    append(state.numbers, Numbers{.largest = result_.largest,
                                  .smallest = result_.smallest,
                                  .largest_residual = result_.largest_residual,
                                  .smallest_residual = result_.smallest_residual});
    state.numbers.insert(state.numbers.end(), betas_.begin(), betas_.end());
    state.numbers.insert(state.numbers.end(), alphas_.begin(), alphas_.end());
    state.vectors = {to_host<Exec, T>(op_.exec(), process_.b()),
                     to_host<Exec, T>(op_.exec(), process_.w())};
    return state;
  }

  void restore(State<T> const& state) {
    require_state_of(name, state.of, state_of<T>(name, op_));
    if (!try_restore(state)) fail_of_state(name);
  }

  bool try_restore(State<T> const& state) {
    using Process = typename GolubKahan<Exec, T>::Numbers;
    constexpr std::size_t fixed = (sizeof(Process) + sizeof(Numbers)) / sizeof(double);
    bool const fits = state.numbers.size() > fixed && state.iteration >= 1 &&
                      state.vectors.size() == 2 &&
                      state.vectors[0].size() == static_cast<std::size_t>(op_.rows()) &&
                      state.vectors[1].size() == static_cast<std::size_t>(op_.cols()) &&
                      all_finite(state.numbers);
    if (!fits) return false;
    std::size_t const rest = state.numbers.size() - fixed;
    auto const steps = static_cast<std::size_t>(state.iteration);
    if (rest % 2 != 1 || rest / 2 != steps) return false;
    auto from = state.numbers.begin();
    auto const process = take<Process>(from);
    tell_result(take<Numbers>(from));
    auto const middle = from + static_cast<std::ptrdiff_t>(steps);
    betas_.assign(from, middle);
    alphas_.assign(middle, state.numbers.end());
    bool const is_of_these =
        process.alpha > 0 && alphas_.back() == process.alpha && betas_.back() == process.beta;
    result_.iterations = state.iteration;
    return is_of_these && process_.restore(process, state.vectors[0], state.vectors[1]);
  }

  NormalOperator<Exec, T> const& op_;
  SpectrumOptions const& options_;
  Control<T> const& control_;
  Index limit_;
  Index reads_before_;
  GolubKahan<Exec, T> process_;
  std::vector<double> alphas_;
  std::vector<double> betas_;
  ConditionEstimate result_;
};

template <class Exec, class T>
ConditionEstimate run_condition_estimate(NormalOperator<Exec, T> const& op,
                                         SpectrumOptions const& options,
                                         Control<T> const& control) {
  return ConditionRun<Exec, T>(op, options, control)();
}

}  // namespace detail

/// The largest singular value of A by power iteration on Aᵀ·A
///
/// A is m x n. Converged if ‖Aᵀ·(A·v) - s²·v‖ <= tol·s²: up to rounding, a singular value, the
/// largest unless the initial vector was nearly orthogonal to its vector, is between s·√(1 - tol)
/// and s·√(1 + tol). Reads A once per iteration and once to start. A Step's objective is s.
/// Stops with Stop::zero_solution for zeros.
/// @throws std::invalid_argument for invalid options and states
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// tessera::solve::MatrixOperator const op(Kokkos::DefaultExecutionSpace(), A);
/// std::printf("%g\n", tessera::solve::power_iteration(op, {.tol = 1e-6}).s);
/// ```
template <ExecutionSpace Exec, Scalar T>
PowerIteration<Exec, T> power_iteration(NormalOperator<Exec, T> const& op,
                                        SpectrumOptions const& options = {},
                                        std::type_identity_t<Control<T>> const& control = {}) {
  return detail::run_power_iteration<Exec, T>(op, options, control);
}

/// Estimates the largest and the smallest singular value of A, and its condition number
///
/// A is m x n. A bidiagonalisation reads A once per iteration and once to start. Converged if each
/// residual is at most tol times its value; the smallest may need more than the default maxiter. A
/// Step has the last residual of the smallest value, and as objective the condition number. A state
/// has m + n + 2k scalars after k iterations.
/// @throws std::invalid_argument for invalid options and states
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// tessera::solve::MatrixOperator const op(Kokkos::DefaultExecutionSpace(), A);
/// std::printf("%g\n", tessera::solve::condition_estimate(op).condition);
/// ```
template <ExecutionSpace Exec, Scalar T>
ConditionEstimate condition_estimate(NormalOperator<Exec, T> const& op,
                                     SpectrumOptions const& options = {},
                                     std::type_identity_t<Control<T>> const& control = {}) {
  return detail::run_condition_estimate<Exec, T>(op, options, control);
}

}  // namespace tessera::solve

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_SOLVE_SPECTRUM(TEMPLATE, EXEC, T)                                                  \
  namespace tessera::solve::detail {                                                               \
  TEMPLATE PowerIteration<EXEC, T> run_power_iteration(NormalOperator<EXEC, T> const&,             \
                                                       SpectrumOptions const&, Control<T> const&); \
  TEMPLATE ConditionEstimate run_condition_estimate(NormalOperator<EXEC, T> const&,                \
                                                    SpectrumOptions const&, Control<T> const&);    \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_SOLVE_SPECTRUM)
