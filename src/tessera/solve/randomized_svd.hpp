// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/compiled.hpp>
#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/checks.hpp>
#include <tessera/gemm.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/operator.hpp>
#include <tessera/solve/small_svd.hpp>
#include <tessera/solve/svd.hpp>
#include <tessera/solve/values.hpp>
#include <tessera/vectors.hpp>

namespace tessera::solve {

struct RandomizedSvdOptions {
  Index oversampling = 10;
  Index power_iterations = 4;  ///< each one read
  std::uint64_t seed = 0;      ///< below 2^24
  double tol = 0;              ///< 0: accept any result
  bool want_u = false;
};

namespace detail {

template <class Exec, class T>
class RandomizedSvdRun {
 public:
  using Operator = BlockOperator<Exec, T>;

  RandomizedSvdRun(Operator const& op, Index k, RandomizedSvdOptions const& options,
                   Control<T> const& control)
      : op_(op),
        k_(k),
        size_(size_of_block(op, k, options)),
        options_(options),
        control_(control),
        norm_(op.exec()),
        basis_(op.exec(), size_, op.cols()),
        x_(op.exec(), size_, op.cols()),
        c_(op.exec(), size_, op.cols()),
        estimates_(static_cast<std::size_t>(size_)) {}

  SvdResult<Exec, T> operator()() {
    backends::host::OrdinaryArithmetic const mode;
    Index const reads_before = op_.reads();
    op_.agree("randomized_svd", [&] {
      return digest_of(control_)
          .add(k_, size_, options_.power_iterations, options_.seed, options_.tol, options_.want_u)
          .value();
    });
    if (control_.resume != nullptr) {
      restore(*control_.resume);
    } else {
      start();
    }
    while (is_finite_ && !is_cancelled_ && iteration_ < options_.power_iterations) {
      make_input();
      op_.atax_block(x_.first(size_), {}, c_.first(size_));
      ++iteration_;
      orthonormalise();
      if (is_finite_) tell(reads_before);
    }
    if (is_finite_) finish();
    if (!is_finite_) {
      result_ = {};
      result_.stop = Stop::not_finite;
    }
    result_.iterations = iteration_;
    result_.reads = op_.reads() - reads_before;
    return std::move(result_);
  }

 private:
  static constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());
  static constexpr char const* name = "randomized_svd";

  static Index size_of_block(Operator const& op, Index k, RandomizedSvdOptions const& options) {
    Index const most = most_vectors(name, op, k);
    if (options.oversampling < 0 || options.power_iterations < 0 || !(options.tol >= 0)) {
      checks::fail(name, "oversampling, power_iterations and tol must be at least 0, found " +
                             std::to_string(options.oversampling) + ", " +
                             std::to_string(options.power_iterations) + " and " +
                             std::to_string(options.tol));
    }
    if (options.seed >= std::uint64_t{1} << 24U) {
      checks::fail(name, "expected a seed below 2^24, found " + std::to_string(options.seed));
    }
    return k + std::min(options.oversampling, most - k);
  }

  [[nodiscard]] T two_to_e() const { return static_cast<T>(std::ldexp(1.0, exponent_)); }

  void start() {
    Exec const& exec = op_.exec();
    Basis<Exec, T> const U(exec, size_, op_.rows());
    mix<Exec, T>(exec, options_.seed, U.values());
    op_.multiply_transposed_block(U.first(size_), c_.first(size_));
    double const norm = norm_(c_.values());
    is_finite_ = std::isfinite(norm);
    if (!is_finite_) return;
    constexpr int most = std::numeric_limits<T>::max_exponent - 2;
    if (norm > 0) exponent_ = std::clamp(-std::ilogb(norm), -most, most);
    orthonormalise();
  }

  void make_input() { axpby(op_.exec(), two_to_e(), basis_.values(), T(0), x_.values()); }

  void orthonormalise() {
    std::vector<double> lengths;
    double largest = 0;
    for (Index i = 0; i < size_; ++i) {
      double const length = norm_(c_.vector(i));
      is_finite_ = std::isfinite(length);
      if (!is_finite_) return;
      largest = std::max(largest, length);
      lengths.push_back(take(basis_, i, c_.vector(i), length, largest).back());
    }
    change_ = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(k_); ++i) {
      change_ = std::max(change_, std::abs(lengths[i] - estimates_[i]));
    }
    change_ = largest > 0 ? change_ / largest : 0;
    estimates_ = std::move(lengths);
  }

  /// Vector i becomes the normalised part of x, which has this length, outside the span of the
  /// previous vectors. Returns the products of x with all of them.
  std::vector<double> take(Basis<Exec, T>& basis, Index i, Values<Exec, T> const& x, double length,
                           double largest) {
    Exec const& exec = op_.exec();
    Values<Exec, T> const to = basis.vector(i);
    std::vector<double> products(static_cast<std::size_t>(i) + 1);
    double const nothing = static_cast<double>(size_) * eps;
    if (length > nothing * largest) {
      // Because 1/length may overflow.
      int const power = std::ilogb(length);
      axpby(exec, static_cast<T>(std::ldexp(1.0, -power)), x, T(0), to);
      double const scaled = std::ldexp(length, -power);
      std::vector<T> const along = basis.make_orthogonal(i, to);
      for (std::size_t j = 0; j < along.size(); ++j) {
        products[j] = std::ldexp(static_cast<double>(along[j]), power);
      }
      double const left = norm_(to);
      if (left > nothing * scaled) {
        scale(exec, static_cast<T>(1 / left), to);
        products.back() = std::ldexp(left, power);
        return products;
      }
    }
    basis.add_any(i, static_cast<std::uint64_t>(iteration_ * size_ + i) + 1, norm_);
    return products;
  }

  void finish() {
    Exec const& exec = op_.exec();
    Basis<Exec, T> const B(exec, size_, op_.rows());
    make_input();
    op_.atax_block(x_.first(size_), B.first(size_), c_.first(size_));
    Basis<Exec, T> Q(exec, size_, op_.rows());
    SmallMatrix R(size_, size_);
    double largest = 0;
    for (Index j = 0; j < size_; ++j) {
      double const length = norm_(B.vector(j));
      is_finite_ = std::isfinite(length);
      if (!is_finite_) return;
      largest = std::max(largest, length);
      std::vector<double> const products = take(Q, j, B.vector(j), length, largest);
      std::copy(products.begin(), products.end(), R.column(j));
    }
    SmallSvd const small = small_svd(std::move(R));
    is_finite_ = small.is_converged;
    if (!is_finite_) return;
    result_.VT = turned(small.V, basis_);
    if (options_.want_u) result_.UT = turned(small.U, Q);
    measure(small);
  }

  Rows<Exec, T> turned(SmallMatrix const& by, Basis<Exec, T> const& from) {
    Exec const& exec = op_.exec();
    std::vector<T> factors;
    for (Index i = 0; i < k_; ++i) {
      for (Index j = 0; j < size_; ++j) factors.push_back(static_cast<T>(by(j, i)));
    }
    Values<Exec, T> const values = on_device(exec, factors);
    Rows<Exec, T> const Q(values.data(), static_cast<std::size_t>(k_),
                          static_cast<std::size_t>(size_));
    auto const to = make_rows<Exec, T>(exec, k_, static_cast<Index>(from.first(size_).extent(1)));
    gemm(exec, Q, from.first(size_), to, {.workspace = &workspace_});
    exec.fence("tessera::randomized_svd: vectors are turned");
    return to;
  }

  void measure(SmallSvd const& small) {
    Exec const& exec = op_.exec();
    Rows<Exec, T> const CT = turned(small.V, c_);
    double const zero = 16 * eps * small.s[0];
    double worst = 0;
    for (Index i = 0; i < k_; ++i) {
      double const s = small.s[static_cast<std::size_t>(i)];
      double residual = zero;
      if (s > zero) {
        Values<Exec, T> const rest = x_.vector(0);
        axpby(exec, static_cast<T>(1 / s), row<Exec, T>(CT, i), T(0), rest);
        scale(exec, two_to_e(), rest);
        axpby(exec, static_cast<T>(-s), row<Exec, T>(result_.VT, i), T(1), rest);
        residual = norm_(rest);
      }
      is_finite_ = is_finite_ && std::isfinite(residual);
      worst = std::max(worst, residual);
      result_.s.push_back(std::ldexp(s, -exponent_));
      result_.residuals.push_back(std::ldexp(residual, -exponent_));
    }
    bool const is_enough = worst <= std::max(options_.tol, 16 * eps) * small.s[0];
    result_.stop = is_cancelled_       ? Stop::cancelled
                   : options_.tol == 0 ? Stop::all_done
                   : is_enough         ? Stop::converged
                                       : Stop::iteration_limit;
  }

  void tell(Index reads_before) {
    Step const step{
        .iteration = iteration_, .reads = op_.reads() - reads_before, .residual = change_};
    result_.history.push_back(step);
    if (control_.on_step && !control_.on_step(step)) is_cancelled_ = true;
    bool const is_last = is_cancelled_ || iteration_ >= options_.power_iterations;
    offer_state(control_, step, [&] { return state(); }, is_last);
  }

  [[nodiscard]] std::vector<double> numbers() const {
    return {static_cast<double>(k_), static_cast<double>(size_), static_cast<double>(options_.seed),
            static_cast<double>(exponent_)};
  }
  [[nodiscard]] State<T> state() const {
    State<T> state{.of = state_of<T>(name, op_), .iteration = iteration_, .numbers = numbers()};
    state.numbers.insert(state.numbers.end(), estimates_.begin(), estimates_.end());
    state.vectors = {to_host<Exec, T>(op_.exec(), basis_.values())};
    state.history = result_.history;
    return state;
  }
  void restore(State<T> const& state) {
    require_state_of(name, state.of, state_of<T>(name, op_));
    std::vector<double> const expected = numbers();
    constexpr int most = std::numeric_limits<T>::max_exponent - 2;
    bool const fits =
        state.iteration >= 0 && state.iteration <= options_.power_iterations &&
        state.numbers.size() == expected.size() + estimates_.size() &&
        std::equal(expected.begin(), expected.end() - 1, state.numbers.begin()) &&
        std::abs(state.numbers[3]) <= most && state.numbers[3] == std::trunc(state.numbers[3]) &&
        state.vectors.size() == 1 && state.vectors[0].size() == basis_.values().extent(0);
    if (!fits) fail_of_state(name);
    iteration_ = state.iteration;
    exponent_ = static_cast<int>(state.numbers[3]);
    std::copy_n(state.numbers.begin() + 4, size_, estimates_.begin());
    from_host<Exec, T>(op_.exec(), state.vectors[0], basis_.values());
    result_.history = state.history;
  }

  Operator const& op_;
  Index k_;
  Index size_;
  RandomizedSvdOptions options_;
  Control<T> const& control_;

  Workspace<Exec> workspace_;
  Norms<Exec, T> norm_;
  Basis<Exec, T> basis_;
  Basis<Exec, T> x_;
  Basis<Exec, T> c_;
  std::vector<double> estimates_;  ///< of s²
  double change_ = 0;              ///< relative to the largest
  int exponent_ = 0;               ///< e: products are with 2^e·V
  Index iteration_ = 0;
  bool is_cancelled_ = false;
  bool is_finite_ = true;
  SvdResult<Exec, T> result_;
};

template <class Exec, class T>
SvdResult<Exec, T> run_randomized_svd(BlockOperator<Exec, T> const& op, Index k,
                                      RandomizedSvdOptions const& options,
                                      Control<T> const& control) {
  return RandomizedSvdRun<Exec, T>(op, k, options, control)();
}

}  // namespace detail

/// Approximations of the k largest singular values of A and their vectors
///
/// A is m x n, k from 1 to min(m, n). Work: power_iterations + 2 reads of A, each with l = k +
/// oversampling vectors, 4mnl flop. Memory: 3nl scalars, and 2ml at the beginning and the end.
///
/// `residuals` are measured; a Step's residual is the largest change of the estimates of s²,
/// relative to the largest. Stops with Stop::all_done if tol is 0; otherwise converged if all
/// residuals are at most tol·s_1. Values below √ε·s_1 are lost.
/// @throws std::invalid_argument for invalid options and states
///
/// Source: Halko, Martinsson and Tropp, SIAM Review 53, 2011.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// tessera::solve::MatrixOperator const op(Kokkos::DefaultExecutionSpace(), A);
/// auto const result = tessera::solve::randomized_svd(op, 5, {.power_iterations = 2});
/// ```
template <ExecutionSpace Exec, Scalar T>
SvdResult<Exec, T> randomized_svd(BlockOperator<Exec, T> const& op, Index k,
                                  RandomizedSvdOptions const& options = {},
                                  std::type_identity_t<Control<T>> const& control = {}) {
  return detail::run_randomized_svd<Exec, T>(op, k, options, control);
}

}  // namespace tessera::solve

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_SOLVE_RANDOMIZED_SVD(TEMPLATE, EXEC, T)                                           \
  namespace tessera::solve::detail {                                                              \
  TEMPLATE SvdResult<EXEC, T> run_randomized_svd(BlockOperator<EXEC, T> const&, Index,            \
                                                 RandomizedSvdOptions const&, Control<T> const&); \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_SOLVE_RANDOMIZED_SVD)
