// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>

#include <tessera/backends/compiled.hpp>
#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/checks.hpp>
#include <tessera/solve/least_squares.hpp>

namespace tessera::solve {

template <class Exec, class T>
struct CglsOptions {
  double damp = 0;
  /// Stops if ‖s‖ ≤ rtol·‖s_0‖ with s = Aᵀ·(b - A·x) - damp²·x, or if ‖b - A·x‖ ≤ rtol·‖b‖.
  double rtol = 1e-6;
  std::optional<Index> maxiter = std::nullopt;  ///< default: 2n
  ConstValues<Exec, T> x0{};                    ///< empty: 0
  bool history = false;
};

namespace detail {

template <class T>
struct CglsRows {
  T alpha;
  T const* q;
  T* r;
  KOKKOS_FUNCTION void operator()(Index i) const { r[i] = Kokkos::fma(-alpha, q[i], r[i]); }
};

template <class T>
struct CglsColumns {
  T alpha;
  T penalty;
  T const* p;
  T const* c;
  T* x;
  T* s;
  KOKKOS_FUNCTION void operator()(Index i) const {
    x[i] = Kokkos::fma(alpha, p[i], x[i]);
    s[i] = Kokkos::fma(-alpha, Kokkos::fma(penalty, p[i], c[i]), s[i]);
  }
};

template <class Exec, class T>
class CglsRun {
 public:
  using Options = CglsOptions<Exec, T>;

  CglsRun(NormalOperator<Exec, T> const& op, ConstValues<Exec, T> const& b, Options const& options,
          Control<T> const& control)
      : op_(op), b_(b), options_(options), control_(control), reads_before_(op.reads()) {
    check();
    Exec const& exec = op.exec();
    norms_.emplace(exec);
    for (auto* const of_rows : {&r_, &q_}) *of_rows = make_values<Exec, T>(exec, op.rows());
    for (auto* const of_cols : {&s_, &p_, &c_, &result_.x}) {
      *of_cols = make_values<Exec, T>(exec, op.cols());
    }
  }

  LeastSquares<Exec, T> operator()() {
    backends::host::OrdinaryArithmetic const mode;
    Index const limit = options_.maxiter.value_or(2 * op_.cols());
    op_.agree(name, [&] {
      Exec const& exec = op_.exec();
      return digest_of(control_)
          .add(options_.damp, options_.rtol, limit)
          .add(to_host<Exec, T>(exec, b_))
          .add(to_host<Exec, T>(exec, options_.x0))
          .value();
    });
    std::optional<Stop> stop;
    if (control_.resume != nullptr) {
      restore(*control_.resume);
    } else {
      stop = begin();
    }
    while (!stop) stop = result_.iterations >= limit ? Stop::iteration_limit : step(limit);
    return finish(*stop);
  }

 private:
  static constexpr auto name = "cgls";

  struct Numbers {
    double norm_of_b = 0;
    double norm_of_s0 = 0;
    double norm_of_s = 0;
    double normr = 0;
    double verified = 0;  ///< ‖s‖ when it was last computed from r
  };

  void check() const {
    checks::require_extent(name, "b", b_, static_cast<std::size_t>(op_.rows()));
    if (options_.x0.extent(0) != 0) {
      checks::require_extent(name, "x0", options_.x0, static_cast<std::size_t>(op_.cols()));
    }
    require_option(name, "damp", options_.damp);
    require_option(name, "rtol", options_.rtol);
    require_option(name, "maxiter", static_cast<double>(options_.maxiter.value_or(0)));
  }

  [[nodiscard]] T penalty() const { return static_cast<T>(options_.damp * options_.damp); }

  void compute_s() {
    op_.multiply_transposed(r_, s_);
    if (options_.damp != 0) axpby(op_.exec(), -penalty(), result_.x, T(1), s_);
    now_.norm_of_s = (*norms_)(s_);
    now_.verified = now_.norm_of_s;
  }

  std::optional<Stop> begin() {
    Exec const& exec = op_.exec();
    now_.norm_of_b = (*norms_)(b_);
    bool const from_x0 = options_.x0.extent(0) != 0 && now_.norm_of_b != 0;
    Kokkos::deep_copy(exec, result_.x, T(0));
    if (now_.norm_of_b == 0) return Stop::zero_solution;
    if (from_x0) {
      Kokkos::deep_copy(exec, result_.x, options_.x0);
      op_.multiply(options_.x0, r_);
      axpby(exec, T(1), b_, T(-1), r_);
    } else {
      Kokkos::deep_copy(exec, r_, b_);
    }
    now_.normr = from_x0 ? (*norms_)(r_) : now_.norm_of_b;
    compute_s();
    now_.norm_of_s0 = now_.norm_of_s;
    if (!are_finite()) return Stop::not_finite;
    if (now_.norm_of_s == 0) {
      if (!from_x0) return Stop::zero_solution;
      return now_.normr == 0 ? Stop::solved : Stop::least_squares;
    }
    Kokkos::deep_copy(exec, p_, s_);
    return std::nullopt;
  }

  std::optional<Stop> step(Index limit) {
    Exec const& exec = op_.exec();
    op_.atax(p_, {}, q_, c_);
    double const q = (*norms_)(q_);
    double const p = options_.damp == 0 ? 0 : options_.damp * (*norms_)(p_);
    if (!std::isfinite(q) || !std::isfinite(p)) return Stop::not_finite;
    double const size = std::sqrt(q * q + p * p);
    if (size == 0) return Stop::breakdown;
    double const ratio = now_.norm_of_s / size;
    auto const alpha = static_cast<T>(ratio * ratio);
    for_each_element(exec, "tessera::cgls::rows", op_.rows(),
                     CglsRows<T>{alpha, q_.data(), r_.data()});
    for_each_element(
        exec, "tessera::cgls::columns", op_.cols(),
        CglsColumns<T>{alpha, penalty(), p_.data(), c_.data(), result_.x.data(), s_.data()});
    double const before = now_.norm_of_s;
    now_.norm_of_s = (*norms_)(s_);
    now_.normr = (*norms_)(r_);
    ++result_.iterations;
    if (!are_finite()) return Stop::not_finite;
    auto stop = reason();
    if (!stop && is_small()) stop = verify();
    if (!stop) {
      // If s was recomputed, the search direction starts again.
      double const growth = now_.norm_of_s / before;
      T const beta = now_.verified == now_.norm_of_s ? T(0) : static_cast<T>(growth * growth);
      axpby(exec, T(1), s_, beta, p_);
    }
    Step const step{.iteration = result_.iterations,
                    .reads = op_.reads() - reads_before_,
                    .residual = now_.norm_of_s / now_.norm_of_s0,
                    .tolerance = options_.rtol,
                    .objective = now_.normr};
    if (options_.history) result_.history.push_back(step);
    if (!stop && result_.iterations >= limit) stop = Stop::iteration_limit;
    bool const goes_on = !control_.on_step || control_.on_step(step);
    auto const make = [&] { return state(); };
    if (!stop) {
      offer_state(control_, step, make, !goes_on);
    } else if (*stop == Stop::iteration_limit) {
      offer_last_state(control_, make);
    }
    if (!stop && !goes_on) stop = Stop::cancelled;
    return stop;
  }

  [[nodiscard]] bool are_finite() const {
    return std::isfinite(now_.norm_of_b) && std::isfinite(now_.norm_of_s) &&
           std::isfinite(now_.normr);
  }
  [[nodiscard]] bool is_small() const { return now_.norm_of_s <= options_.rtol * now_.norm_of_s0; }
  [[nodiscard]] std::optional<Stop> reason() const {
    if (now_.normr <= options_.rtol * now_.norm_of_b) return Stop::solved;
    return std::nullopt;
  }

  /// Recomputes s. If it has not halved since the last time, rounding prevents progress.
  std::optional<Stop> verify() {
    double const before = now_.verified;
    compute_s();
    if (!are_finite()) return Stop::not_finite;
    if (is_small()) return Stop::least_squares;
    if (now_.verified > before / 2) return Stop::least_squares_to_precision;
    return std::nullopt;
  }

  State<T> state() {
    Exec const& exec = op_.exec();
    State<T> state{.of = state_of<T>(name, op_), .iteration = result_.iterations};
    append(state.numbers, now_);
    std::array<Values<Exec, T>, 4> const vectors{r_, s_, p_, result_.x};
    for (auto const& vector : vectors) {
      state.vectors.push_back(to_host<Exec, T>(exec, vector));
    }
    state.history = result_.history;
    return state;
  }

  void restore(State<T> const& state) {
    require_state_of(name, state.of, state_of<T>(name, op_));
    std::array<Values<Exec, T>, 4> const vectors{r_, s_, p_, result_.x};
    bool fits = state.numbers.size() == sizeof(Numbers) / sizeof(double) &&
                state.vectors.size() == vectors.size() && state.iteration > 0 &&
                all_finite(state.numbers);
    for (std::size_t i = 0; fits && i < vectors.size(); ++i) {
      fits = state.vectors[i].size() == vectors[i].extent(0);
    }
    if (!fits) fail_of_state(name);
    auto from = state.numbers.begin();
    now_ = take<Numbers>(from);
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      from_host(op_.exec(), state.vectors[i], vectors[i]);
    }
    result_.iterations = state.iteration;
    if (options_.history) result_.history = state.history;
  }

  LeastSquares<Exec, T> finish(Stop stop) {
    result_.normx = (*norms_)(result_.x);
    if (!std::isfinite(result_.normx)) stop = Stop::not_finite;
    double const nan = std::numeric_limits<double>::quiet_NaN();
    result_.stop = stop;
    result_.reads = op_.reads() - reads_before_;
    double const penalty = options_.damp * result_.normx;
    result_.normr = stop == Stop::not_finite
                        ? nan
                        : std::sqrt(std::fma(penalty, penalty, now_.normr * now_.normr));
    result_.normar = stop == Stop::not_finite ? nan : now_.norm_of_s;
    result_.norma = nan;
    result_.conda = nan;
    op_.exec().fence("tessera: x is there");
    return std::move(result_);
  }

  NormalOperator<Exec, T> const& op_;
  ConstValues<Exec, T> b_;
  Options const& options_;
  Control<T> const& control_;
  Index reads_before_;
  std::optional<Norms<Exec, T>> norms_;
  Values<Exec, T> r_;
  Values<Exec, T> q_;
  Values<Exec, T> s_;
  Values<Exec, T> p_;
  Values<Exec, T> c_;
  Numbers now_;
  LeastSquares<Exec, T> result_;
};

template <class Exec, class T>
LeastSquares<Exec, T> run_cgls(NormalOperator<Exec, T> const& op, ConstValues<Exec, T> const& b,
                               CglsOptions<Exec, T> const& options, Control<T> const& control) {
  return CglsRun<Exec, T>(op, b, options, control)();
}

}  // namespace detail

/// Minimises ‖A·x - b‖² + damp²·‖x‖² by conjugate gradients on the normal equations
///
/// As `lsmr`; norma and conda are NaN. A small s = Aᵀ·r - damp²·x is verified with one more read.
/// Squared norms of A·s must be representable in T.
///
/// Source: Hestenes and Stiefel, J. Res. Nat. Bur. Standards 49 (1952).
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// tessera::solve::MatrixOperator const op(Kokkos::DefaultExecutionSpace(), A);
/// Kokkos::View<double*> b("b", 1000);
/// auto const result = tessera::solve::cgls(op, b);
/// ```
template <ExecutionSpace Exec, Scalar T, Vector B>
  requires AccessibleFrom<B, Exec> && std::is_same_v<typename B::non_const_value_type, T>
LeastSquares<Exec, T> cgls(NormalOperator<Exec, T> const& A, B const& b,
                           std::type_identity_t<CglsOptions<Exec, T>> const& options = {},
                           std::type_identity_t<Control<T>> const& control = {}) {
  return detail::run_cgls<Exec, T>(A, detail::side_by_side(A.exec(), b), options, control);
}

}  // namespace tessera::solve

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_SOLVE_CGLS(TEMPLATE, EXEC, T)                                              \
  namespace tessera::solve::detail {                                                       \
  TEMPLATE LeastSquares<EXEC, T> run_cgls(NormalOperator<EXEC, T> const&,                  \
                                          ConstValues<EXEC, T> const&,                     \
                                          CglsOptions<EXEC, T> const&, Control<T> const&); \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_SOLVE_CGLS)
