// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
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

/// The ends of the spectrum of a matrix.
namespace tessera::solve {

/// Options of `power_iteration` and `condition_estimate`.
struct SpectrumOptions {
  double tol = 1e-2;  ///< of residuals, each relative to its singular value
  Index maxiter = 0;  ///< steps; 0: 1000 of `power_iteration`, of `condition_estimate`
                      ///< 2·min(m, n), at most 200
  std::function<bool(Step const&)> on_step{};  ///< as that of Control
};

/// The largest singular value.
template <class Exec, class T>
struct PowerIteration {
  double s = 0;
  Values<Exec, T> v;    ///< its right vector, of n entries
  double residual = 0;  ///< ‖Aᵀ·(A·v) - s²·v‖/s
  Stop stop = Stop::breakdown;
  Index iterations = 0;
  Index reads = 0;  ///< of A, by this call
};

/// How far apart the singular values of A are. A has one within each residual of the value beside
/// it, but for rounding.
struct ConditionEstimate {
  double largest = 0;   ///< at most the largest singular value
  double smallest = 0;  ///< at least the smallest of the min(m, n) singular values
  double largest_residual = 0;
  double smallest_residual = 0;
  double condition = 0;  ///< largest/smallest: at most the condition number
  Stop stop = Stop::breakdown;
  Index iterations = 0;
  Index reads = 0;  ///< of A, by this call
};

namespace detail {

inline void require_spectrum_options(char const* name, SpectrumOptions const& options) {
  if (!(options.tol >= 0) || options.maxiter < 0) {
    checks::fail(name, "expected tol and maxiter that are not negative");
  }
}

template <class Exec, class T>
PowerIteration<Exec, T> run_power_iteration(NormalOperator<Exec, T> const& op,
                                            SpectrumOptions const& options) {
  backends::host::OrdinaryArithmetic const mode;
  require_spectrum_options("power_iteration", options);
  Exec const& exec = op.exec();
  Index const reads_before = op.reads();
  Index const limit = options.maxiter > 0 ? options.maxiter : 1000;
  Norms<Exec, T> norm(exec);
  Dots<Exec, T> dot(exec);
  Values<Exec, T> const u = make_values<Exec, T>(exec, op.rows());
  Values<Exec, T> const x = make_values<Exec, T>(exec, op.cols());
  Values<Exec, T> const c = make_values<Exec, T>(exec, op.cols());
  PowerIteration<Exec, T> result;
  result.v = make_values<Exec, T>(exec, op.cols());
  Values<Exec, T> const& v = result.v;
  auto const stop = [&](Stop why) {
    result.stop = why;
    result.reads = op.reads() - reads_before;
    exec.fence("tessera::power_iteration: v is there");
    return std::move(result);
  };

  // v begins as Aᵀ times a vector of mixed numbers; 2^e makes s a number of about 1.
  mix<Exec, T>(exec, 0, u);
  op.multiply_transposed(u, c);
  double length = norm(c);
  if (!std::isfinite(length)) return stop(Stop::not_finite);
  if (length == 0) {
    Kokkos::deep_copy(exec, v, T(0));
    return stop(Stop::zero_solution);
  }
  constexpr int most = std::numeric_limits<T>::max_exponent - 2;
  int const exponent = std::clamp(-std::ilogb(length), -most, most);
  auto const two_to_e = static_cast<T>(std::ldexp(1.0, exponent));
  scale(exec, two_to_e, c);
  length = std::ldexp(length, exponent);
  for (;;) {
    axpby(exec, static_cast<T>(1 / length), c, T(0), v);
    axpby(exec, two_to_e, v, T(0), x);
    op.atax(x, {}, {}, c);
    scale(exec, two_to_e, c);
    length = norm(c);
    double const square = dot(v, c);
    ++result.iterations;
    if (!std::isfinite(length)) return stop(Stop::not_finite);
    if (!(square > 0)) return stop(Stop::breakdown);
    axpby(exec, T(1), c, T(0), x);
    axpby(exec, static_cast<T>(-square), v, T(1), x);
    double const s = std::sqrt(square);
    double const residual = norm(x) / s;
    result.s = std::ldexp(s, -exponent);
    result.residual = std::ldexp(residual, -exponent);
    bool const goes_on = !options.on_step || options.on_step({.iteration = result.iterations,
                                                              .reads = op.reads() - reads_before,
                                                              .residual = result.residual,
                                                              .tolerance = options.tol * result.s,
                                                              .objective = result.s});
    if (residual <= options.tol * s) return stop(Stop::converged);
    if (!goes_on) return stop(Stop::cancelled);
    if (result.iterations >= limit) return stop(Stop::iteration_limit);
  }
}

/// Of the bidiagonal matrix with these numbers, the first of them α_1, β_2, α_2, …
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
ConditionEstimate run_condition_estimate(NormalOperator<Exec, T> const& op,
                                         SpectrumOptions const& options) {
  backends::host::OrdinaryArithmetic const mode;
  require_spectrum_options("condition_estimate", options);
  Index const reads_before = op.reads();
  Index const most = std::min(op.rows(), op.cols());
  Index const limit = options.maxiter > 0 ? options.maxiter : std::min(2 * most, Index{200});
  ConditionEstimate result;
  auto const stop = [&](Stop why) {
    result.stop = why;
    result.reads = op.reads() - reads_before;
    return result;
  };

  GolubKahan<Exec, T> process(op);
  mix<Exec, T>(op.exec(), 0, process.b());
  process.start();
  if (!std::isfinite(process.alpha())) return stop(Stop::not_finite);
  if (process.alpha() == 0) return stop(Stop::zero_solution);
  std::vector<double> alphas{process.alpha()};
  std::vector<double> betas;
  for (Index look_at = 1;;) {
    process.advance();
    ++result.iterations;
    if (!std::isfinite(process.alpha()) || !std::isfinite(process.beta())) {
      return stop(Stop::not_finite);
    }
    betas.push_back(process.beta());
    alphas.push_back(process.alpha());
    if (process.alpha() != 0) {
      for_each_element(op.exec(), "tessera::solve::divide", op.cols(),
                       Divide<T>{process.next().data(), static_cast<T>(process.alpha()), T(1),
                                 process.w().data()});
    }
    bool const is_last = process.alpha() == 0 || result.iterations >= limit;
    if (result.iterations < look_at && !is_last) continue;
    look_at = result.iterations + 1 + result.iterations / 4;

    SmallSvd const small = svd_of_bidiagonal(alphas, betas);
    if (!small.is_converged) return stop(Stop::not_finite);
    auto const k = static_cast<Index>(betas.size());
    // Aᵀ·u = s·v + α·v_next·(the last entry of U's column)
    auto const residual = [&](Index i) {
      return process.unscaled(process.alpha() * std::abs(small.U(k, i)));
    };
    result.largest = process.unscaled(small.s.front());
    result.smallest = process.unscaled(small.s.back());
    result.largest_residual = residual(0);
    result.smallest_residual = residual(k - 1);
    result.condition = result.largest / result.smallest;
    bool const goes_on =
        !options.on_step || options.on_step({.iteration = result.iterations,
                                             .reads = op.reads() - reads_before,
                                             .residual = result.smallest_residual,
                                             .tolerance = options.tol * result.smallest,
                                             .objective = result.condition});
    if (result.largest_residual <= options.tol * result.largest &&
        result.smallest_residual <= options.tol * result.smallest) {
      return stop(Stop::converged);
    }
    if (process.alpha() == 0) return stop(Stop::breakdown);
    if (!goes_on) return stop(Stop::cancelled);
    if (is_last) return stop(Stop::iteration_limit);
  }
}

}  // namespace detail

/// The largest singular value of A, by powers of Aᵀ·A
///
/// It has converged where ‖Aᵀ·(A·v) - s²·v‖ <= tol·s², so that A has a singular value between
/// s·√(1 - tol) and s·√(1 + tol), but for rounding: the largest, unless the start was all but
/// orthogonal to its vector. Of a matrix of zeros it stops with Stop::zero_solution. A step reads A
/// once; one more read begins. Bits as those of `svd`. Throws std::invalid_argument for options
/// that are negative.
template <ExecutionSpace Exec, Scalar T>
PowerIteration<Exec, T> power_iteration(NormalOperator<Exec, T> const& op,
                                        SpectrumOptions const& options = {}) {
  return detail::run_power_iteration<Exec, T>(op, options);
}

/// Estimates of the largest and the smallest singular value of A, and of its condition number
///
/// From a bidiagonalisation, which a step carries on by one read of A; one more read begins. The
/// estimates lie within the spectrum but for rounding, so that `condition` is at most the condition
/// number; how near it is depends on the start. It has converged where each residual is at most tol
/// times its value; the smallest value may take more steps than there are by default. Bits as those
/// of `lsmr`. `on_step` is called after each of the first steps, then ever more rarely. Throws
/// std::invalid_argument for options that are negative.
template <ExecutionSpace Exec, Scalar T>
ConditionEstimate condition_estimate(NormalOperator<Exec, T> const& op,
                                     SpectrumOptions const& options = {}) {
  return detail::run_condition_estimate<Exec, T>(op, options);
}

}  // namespace tessera::solve

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_SOLVE_SPECTRUM(TEMPLATE, EXEC, T)                                      \
  namespace tessera::solve::detail {                                                   \
  TEMPLATE PowerIteration<EXEC, T> run_power_iteration(NormalOperator<EXEC, T> const&, \
                                                       SpectrumOptions const&);        \
  TEMPLATE ConditionEstimate run_condition_estimate(NormalOperator<EXEC, T> const&,    \
                                                    SpectrumOptions const&);           \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_SOLVE_SPECTRUM)
