// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/checks.hpp>
#include <tessera/gemm.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/normal_operator.hpp>
#include <tessera/solve/small_svd.hpp>
#include <tessera/solve/triplets.hpp>
#include <tessera/solve/values.hpp>
#include <tessera/vectors.hpp>

namespace tessera::solve::detail {

template <class T>
struct Negate {
  T* x;
  KOKKOS_FUNCTION void operator()(Index i) const { x[i] = -x[i]; }
};

/// With D = 2^e·A, or its transpose if A is wide and has no more rows than the basis vectors: two
/// orthonormal bases X and Y and an upper triangular R with
///     D·X = Y·R.
/// Singular values of R belong to D in the space of X, to the precision of the largest. X grows by
/// Dᵀ·D times the last block, and by the residuals Dᵀ·y - s·x of the largest triplets. A full X is
/// replaced by these. Blocks have more than k vectors, so that no copy of a repeated value is
/// missed.
template <class Exec, class T>
class BlockSvd {
 public:
  using Operator = NormalOperator<Exec, T>;

  /// @param noise the norm to which rounding of products is relative; 0: the norm of A
  BlockSvd(char const* name, Operator const& op, Index k, SvdOptions const& options,
           Control<T> const& control, double noise = 0)
      : name_(name),
        op_(op),
        k_(k),
        dimension_(most_vectors(name, op, k)),
        block_(std::min(k + 2, dimension_)),
        size_(size_of_basis(name, options, k, block_, dimension_)),
        is_wide_(op.rows() < op.cols() && size_ == dimension_),
        tol_(options.tol),
        maxiter_(options.maxiter > 0 ? options.maxiter : 100 * size_),
        want_u_(options.want_u),
        noise_(noise),
        control_(control),
        norm_(op.exec()),
        X_(op.exec(), size_, x_size()),
        Y_(op.exec(), size_, y_size()),
        products_(op.exec(), block_, x_size()),
        input_(op.exec(), block_, std::max(x_size(), y_size())),
        R_(size_, size_) {}

  SvdResult<Exec, T> operator()() {
    backends::host::OrdinaryArithmetic const mode;
    reads_before_ = op_.reads();
    op_.agree(name_,
              [&] { return digest_of(control_).add(k_, size_, tol_, maxiter_, want_u_).value(); });
    if (control_.resume != nullptr) {
      restore(*control_.resume);
    } else {
      start();
    }
    while (!stops()) step();
    finish();
    result_.iterations = iteration_;
    result_.reads = op_.reads() - reads_before_;
    return std::move(result_);
  }

  static Index size_of_basis(char const* name, SvdOptions const& options, Index k, Index block,
                             Index dimension) {
    if (options.ncv != 0 && options.ncv <= k) {
      checks::fail(name, "expected ncv to be more than k, found " + std::to_string(options.ncv));
    }
    if (!(options.tol >= 0) || options.maxiter < 0) {
      checks::fail(name, "tol and maxiter must be at least 0, found " +
                             std::to_string(options.tol) + " and " +
                             std::to_string(options.maxiter));
    }
    Index const least = 2 * block;
    Index const wanted =
        options.ncv != 0 ? options.ncv : std::max(Index{20}, std::min(4 * block, least + 48));
    return std::min(dimension, std::max(least, wanted));
  }

 private:
  static constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());

  [[nodiscard]] Index x_size() const { return is_wide_ ? op_.rows() : op_.cols(); }
  [[nodiscard]] Index y_size() const { return is_wide_ ? op_.cols() : op_.rows(); }
  [[nodiscard]] T two_to_e() const { return static_cast<T>(std::ldexp(1.0, exponent_)); }
  [[nodiscard]] double negligible() const { return 8 * eps * largest_; }

  Rows<Exec, T> scaled(Rows<Exec, T> const& vectors) {
    Rows<Exec, T> const to(input_.values().data(), vectors.extent(0), vectors.extent(1));
    axpby(op_.exec(), two_to_e(), flat(vectors), T(0), flat(to));
    return to;
  }

  void start() {
    Exec const& exec = op_.exec();
    Rows<Exec, T> const mixed(input_.values().data(), static_cast<std::size_t>(block_),
                              static_cast<std::size_t>(y_size()));
    mix<Exec, T>(exec, 0, flat(mixed));
    Rows<Exec, T> const to = products_.first(block_);
    multiply_back(mixed, to);
    double const norm = norm_(flat(to));
    is_finite_ = std::isfinite(norm);
    if (!is_finite_) return;
    constexpr int most = std::numeric_limits<T>::max_exponent - 2;
    if (norm > 0) exponent_ = std::clamp(-std::ilogb(norm), -most, most);
    scale(exec, two_to_e(), flat(to));
    extend(block_, norm > 0 ? std::ldexp(norm, exponent_) : 0);
  }

  /// to = Dᵀ·y without 2^e.
  void multiply_back(Rows<Exec, T> const& y, Rows<Exec, T> const& to) {
    if (!is_wide_) return op_.multiply_transposed_of_each(y, to);
    Basis<Exec, T> const rest(op_.exec(), static_cast<Index>(y.extent(0)), y_size());
    op_.atax_of_each(y, {}, to, rest.first(static_cast<Index>(y.extent(0))));
  }

  void extend(Index count, double size) {
    next_ = std::min(count, std::min(size_, dimension_) - done_);
    for (Index i = 0; i < next_; ++i) {
      Values<Exec, T> const x = X_.vector(done_ + i);
      Kokkos::deep_copy(op_.exec(), x, products_.vector(i));
      double const before = norm_(x);
      is_finite_ = is_finite_ && std::isfinite(before);
      if (!is_finite_) return;
      double left = 0;
      if (before > eps * eps * size && before > 0) {
        scale(op_.exec(), static_cast<T>(1 / before), x);
        X_.make_orthogonal(done_ + i, x);
        left = norm_(x);
      }
      // Twice: after the first pass most of the rest may be rounding.
      if (left > 64 * eps) {
        scale(op_.exec(), static_cast<T>(1 / left), x);
        X_.make_orthogonal(done_ + i, x);
        left = norm_(x);
        scale(op_.exec(), static_cast<T>(1 / left), x);
      } else {
        X_.add_any(done_ + i, static_cast<std::uint64_t>(iteration_ * block_ + i) + 1, norm_);
      }
    }
  }

  void step() {
    if (next_ == 0) {
      measure();
      if (is_finite_ && !is_converged_ && !is_at_limit_) restart();
    } else {
      multiply_new();
      if (!is_finite_) return;
      Index const room = std::min(size_, dimension_) - done_;
      if (room > 0 && !is_wide_ && !seems_converged()) {
        extend(next_, 1);
      } else {
        next_ = 0;
      }
    }
    tell();
  }

  /// Stores Dᵀ·D times the new vectors in `products_`.
  void multiply_new() {
    Exec const& exec = op_.exec();
    if (done_ == 0) is_fresh_ = true;
    Rows<Exec, T> const x = scaled(X_.some(done_, next_));
    Rows<Exec, T> const y = Y_.some(done_, next_);
    Rows<Exec, T> const back = products_.first(next_);
    if (is_wide_) {
      op_.multiply_transposed_of_each(x, y);
    } else {
      op_.atax_of_each(x, {}, y, back);
    }
    ++iteration_;
    for (Index i = 0; i < next_; ++i) {
      Index const j = done_ + i;
      Values<Exec, T> const w = Y_.vector(j);
      double const before = norm_(w);
      is_finite_ = std::isfinite(before);
      if (!is_finite_) return;
      largest_ = std::max(largest_, before);
      for (int pass = 0; pass < 2; ++pass) {
        auto const along = Y_.make_orthogonal(j, w);
        for (Index l = 0; l < j; ++l) {
          R_(l, j) += static_cast<double>(along[static_cast<std::size_t>(l)]);
        }
      }
      double const left = norm_(w);
      if (left > negligible()) {
        R_(j, j) = left;
        scale(exec, static_cast<T>(1 / left), w);
      } else {
        Y_.add_any(j, static_cast<std::uint64_t>(iteration_ * block_ + i) + 1, norm_);
      }
    }
    if (!is_wide_) scale(exec, two_to_e(), flat(back));
    done_ += next_;
  }

  /// Whether the part of Dᵀ·D times the last block outside X is small.
  [[nodiscard]] bool seems_converged() {
    if (done_ < k_) return false;
    look();
    double beside = 0;
    Values<Exec, T> const x = make_values<Exec, T>(op_.exec(), x_size());
    for (Index i = 0; i < next_; ++i) {
      Kokkos::deep_copy(op_.exec(), x, products_.vector(i));
      X_.make_orthogonal(done_, x);
      double const norm = norm_(x);
      beside = std::fma(norm, norm, beside);
    }
    beside = std::sqrt(beside);
    for (Index i = 0; i < k_; ++i) {
      double part = 0;
      for (Index j = done_ - next_; j < done_; ++j) part += ritz_.V(j, i) * ritz_.V(j, i);
      double const s = ritz_.s[static_cast<std::size_t>(i)];
      if (beside * std::sqrt(part) > tolerance() * std::max(s, negligible())) return false;
    }
    return true;
  }

  void look() {
    SmallMatrix R(done_, done_);
    for (Index j = 0; j < done_; ++j) std::copy_n(R_.column(j), j + 1, R.column(j));
    ritz_ = small_svd(std::move(R), 1);
    is_finite_ = is_finite_ && ritz_.is_converged;
  }
  [[nodiscard]] double tolerance() const {
    return ritz_.s.empty() ? 0 : std::max(tol_, 8 * eps) * ritz_.s[0];
  }

  /// Stores residuals in `products_`. X and Y then begin with these triplets.
  void measure() {
    Exec const& exec = op_.exec();
    look();
    if (!is_finite_) return;
    bool const is_whole = done_ == dimension_;
    bool const is_full = done_ == size_;
    Index const fewer = std::max(block_, std::min((k_ + size_) / 2, size_ - block_));
    Index const kept = is_full && !is_whole ? std::min(done_, fewer) : done_;
    rotate(ritz_.V, kept, X_);
    rotate(ritz_.U, kept, Y_);
    R_ = SmallMatrix(size_, size_);
    for (Index i = 0; i < kept; ++i) R_(i, i) = ritz_.s[static_cast<std::size_t>(i)];
    done_ = kept;
    Index const count = std::min(block_, kept);
    Rows<Exec, T> const back = products_.first(count);
    multiply_back(scaled(Y_.first(count)), back);
    ++iteration_;
    residuals_.clear();
    for (Index i = 0; i < count; ++i) {
      double const s = ritz_.s[static_cast<std::size_t>(i)];
      axpby(exec, static_cast<T>(-s), X_.vector(i), T(1), products_.vector(i));
      residuals_.push_back(norm_(products_.vector(i)));
      is_finite_ = is_finite_ && std::isfinite(residuals_.back());
    }
    double const before = worst_;
    worst_ = 0;
    for (Index i = 0; i < std::min(k_, count); ++i) {
      worst_ = std::max(worst_, residuals_[static_cast<std::size_t>(i)]);
    }
    judge(is_whole, before);
    is_fresh_ = false;
  }
  /// In one restart slow convergence looks like rounding. New bases help in both cases: they have
  /// no rounding of rotations, and more blocks before the next restart. Residuals are the rounding
  /// of products if neither these nor eight measurements lower them by a tenth.
  void judge(bool is_whole, double before) {
    double const s = ritz_.s[0];
    double const rounding = 256 * eps * std::max(s, std::ldexp(noise_, exponent_));
    bool const is_other = least_ == 0 || worst_ > 4 * least_;  // another triplet came in
    bool const is_lower = is_other || worst_ <= 0.9 * least_;
    stalled_ = is_lower ? 0 : stalled_ + 1;
    if (is_lower) least_ = worst_;
    bool const is_small = is_fresh_ && worst_ <= 48 * eps * s;
    is_converged_ = done_ >= k_ && (worst_ <= tolerance() || is_small || is_whole);
    is_at_limit_ = is_fresh_ && stalled_ >= 8 && worst_ <= rounding;
    is_stuck_ = !is_fresh_ && worst_ > before / 2 && worst_ <= std::max(16384 * eps * s, rounding);
  }
  void rotate(SmallMatrix const& Q, Index kept, Basis<Exec, T>& basis) {
    Exec const& exec = op_.exec();
    std::vector<T> turned;
    for (Index i = 0; i < kept; ++i) {
      for (Index j = 0; j < done_; ++j) turned.push_back(static_cast<T>(Q(j, i)));
    }
    Values<Exec, T> const factors = on_device(exec, turned);
    Basis<Exec, T> const to(exec, kept, basis.size());
    gemm(exec,
         Rows<Exec, T>(factors.data(), static_cast<std::size_t>(kept),
                       static_cast<std::size_t>(done_)),
         basis.first(done_), to.first(kept), {.workspace = &workspace_});
    Kokkos::deep_copy(exec, basis.first(kept), to.first(kept));
    exec.fence("tessera::svd: a basis is turned");
  }

  /// The next block consists of the residuals, or new bases begin with the largest triplets.
  void restart() {
    if (is_stuck_) {
      Index const count = std::min(block_, done_);
      Kokkos::deep_copy(op_.exec(), products_.first(count), X_.first(count));
      done_ = 0;
      R_ = SmallMatrix(size_, size_);
      return extend(count, 1);
    }
    extend(std::min(block_, done_), 1);
  }

  void tell() {
    Step const step{.iteration = iteration_,
                    .reads = op_.reads() - reads_before_,
                    .residual = std::ldexp(worst_, -exponent_),
                    .tolerance = std::ldexp(tolerance(), -exponent_)};
    result_.history.push_back(step);
    if (control_.on_step && !control_.on_step(step)) is_cancelled_ = true;
    bool const is_last = is_cancelled_ || iteration_ >= maxiter_;
    if (is_finite_) offer_state(control_, step, [&] { return state(); }, is_last);
  }

  [[nodiscard]] bool stops() {
    if (!is_finite_) {
      result_.stop = Stop::not_finite;
    } else if (is_converged_) {
      result_.stop = Stop::converged;
    } else if (is_at_limit_) {
      result_.stop = Stop::precision_limit;
    } else if (is_cancelled_) {
      result_.stop = Stop::cancelled;
    } else if (iteration_ >= maxiter_) {
      result_.stop = Stop::iteration_limit;
    } else {
      return false;
    }
    return true;
  }

  void finish() {
    if (!is_finite_) return;
    if (!is_converged_) {
      if (done_ == 0) return;
      look();
      if (!is_finite_) {
        result_.stop = Stop::not_finite;
        return;
      }
      Index const kept = std::min(k_, done_);
      rotate(ritz_.V, kept, X_);
      rotate(ritz_.U, kept, Y_);
      done_ = kept;
      residuals_.assign(static_cast<std::size_t>(kept), worst_ > 0 ? worst_ : ritz_.s[0]);
    }
    Index const found = std::min(k_, done_);
    for (Index i = 0; i < found; ++i) {
      auto const at = static_cast<std::size_t>(i);
      double const s = ritz_.s[at];
      result_.s.push_back(s > negligible() ? std::ldexp(s, -exponent_) : 0);
      result_.residuals.push_back(std::ldexp(residuals_[at], -exponent_));
    }
    Basis<Exec, T>& V = is_wide_ ? Y_ : X_;
    Basis<Exec, T>& U = is_wide_ ? X_ : Y_;
    for (Index i = 0; i < found; ++i) flip(V.vector(i), U.vector(i));
    result_.VT = copy_of(V, found);
    if (want_u_) result_.UT = copy_of(U, found);
    op_.exec().fence("tessera::svd: the vectors are there");
  }
  /// Makes the largest entry of v positive; of about equal ones, the first.
  void flip(Values<Exec, T> const& v, Values<Exec, T> const& u) const {
    auto const entries = to_host<Exec, T>(op_.exec(), v);
    T largest = 0;
    for (T const x : entries) largest = std::max(largest, std::abs(x));
    std::size_t at = 0;
    while (std::abs(entries[at]) < largest * T(1 - 1e-6)) ++at;
    if (entries[at] >= 0) return;
    static std::string const label("tessera::svd::flip");
    for_each_element(op_.exec(), label, op_.cols(), Negate<T>{v.data()});
    for_each_element(op_.exec(), label, op_.rows(), Negate<T>{u.data()});
  }
  Rows<Exec, T> copy_of(Basis<Exec, T> const& basis, Index count) const {
    auto const copy = make_rows<Exec, T>(op_.exec(), count, basis.size());
    Kokkos::deep_copy(op_.exec(), copy, basis.first(count));
    return copy;
  }

  static constexpr std::size_t fixed_numbers = 12;

  [[nodiscard]] State<T> state() const {
    State<T> state;
    state.of = state_of<T>(name_, op_);
    state.iteration = iteration_;
    state.history = result_.history;
    state.numbers = {static_cast<double>(k_),
                     static_cast<double>(size_),
                     static_cast<double>(done_),
                     static_cast<double>(next_),
                     is_converged_ ? 1.0 : 0.0,
                     static_cast<double>(exponent_),
                     largest_,
                     worst_,
                     is_fresh_ ? 1.0 : 0.0,
                     least_,
                     static_cast<double>(stalled_),
                     is_at_limit_ ? 1.0 : 0.0};
    state.numbers.insert(state.numbers.end(), R_.values().begin(), R_.values().end());
    if (is_converged_) {
      state.numbers.insert(state.numbers.end(), ritz_.s.begin(), ritz_.s.end());
      state.numbers.insert(state.numbers.end(), residuals_.begin(), residuals_.end());
    }
    Exec const& exec = op_.exec();
    Index const of_X = is_converged_ ? done_ : done_ + next_;
    state.vectors = {to_host<Exec, T>(exec, flat(X_.first(of_X))),
                     to_host<Exec, T>(exec, flat(Y_.first(done_)))};
    return state;
  }

  void restore(State<T> const& state) {
    auto const require = [&](bool is_so) {
      if (!is_so) checks::fail(name_, "the state belongs to another run, or is damaged");
    };
    require_state_of(name_, state.of, state_of<T>(name_, op_));
    auto const& numbers = state.numbers;
    std::size_t const of_R = R_.values().size();
    require(numbers.size() >= fixed_numbers + of_R && state.vectors.size() == 2 &&
            state.iteration >= 0 && all_finite(numbers));
    auto const whole = [&](std::size_t i, Index least, Index most) {
      double const x = numbers[i];
      require(x >= static_cast<double>(least) && x <= static_cast<double>(most) &&
              x == std::floor(x));
      return static_cast<Index>(x);
    };
    whole(0, k_, k_);
    whole(1, size_, size_);
    done_ = whole(2, 0, size_);
    next_ = whole(3, 0, size_);
    is_converged_ = whole(4, 0, 1) == 1;
    constexpr Index most = std::numeric_limits<T>::max_exponent - 2;
    exponent_ = static_cast<int>(whole(5, -most, most));
    largest_ = numbers[6];
    worst_ = numbers[7];
    is_fresh_ = whole(8, 0, 1) == 1;
    least_ = numbers[9];
    stalled_ = whole(10, 0, state.iteration);
    is_at_limit_ = whole(11, 0, 1) == 1;
    Index const of_X = is_converged_ ? done_ : done_ + next_;
    require(of_X <= size_ && of_X > 0 && (!is_converged_ || done_ >= k_) &&
            static_cast<Index>(state.vectors[0].size()) == of_X * x_size() &&
            static_cast<Index>(state.vectors[1].size()) == done_ * y_size());
    auto from = numbers.begin() + fixed_numbers;
    for (Index j = 0; j < R_.cols(); ++j) {
      std::copy_n(from, R_.rows(), R_.column(j));
      from += static_cast<std::ptrdiff_t>(R_.rows());
    }
    if (is_converged_) {
      auto const rest = static_cast<std::size_t>(numbers.end() - from);
      require(rest >= static_cast<std::size_t>(2 * k_));
      auto const count = static_cast<std::ptrdiff_t>(
          std::min(static_cast<std::size_t>(std::min(block_, done_)), rest));
      ritz_.s.assign(from, numbers.end() - count);
      residuals_.assign(numbers.end() - count, numbers.end());
      require(ritz_.s.size() >= static_cast<std::size_t>(k_));
    }
    iteration_ = state.iteration;
    result_.history = state.history;
    Exec const& exec = op_.exec();
    from_host<Exec, T>(exec, state.vectors[0], flat(X_.first(of_X)));
    from_host<Exec, T>(exec, state.vectors[1], flat(Y_.first(done_)));
  }

  char const* name_;
  Operator const& op_;
  Index k_;
  Index dimension_;
  Index block_;
  Index size_;
  bool is_wide_;  ///< D is Aᵀ
  double tol_;
  Index maxiter_;
  bool want_u_;
  double noise_;
  Control<T> const& control_;
  Index reads_before_ = 0;

  Workspace<Exec> workspace_;
  Norms<Exec, T> norm_;
  Basis<Exec, T> X_;
  Basis<Exec, T> Y_;
  Basis<Exec, T> products_;
  Basis<Exec, T> input_;

  SmallMatrix R_;
  Index done_ = 0;    ///< vectors of Y, columns of R
  Index next_ = 0;    ///< vectors of X after these
  int exponent_ = 0;  ///< e
  double largest_ = 0;
  Index iteration_ = 0;

  SmallSvd ritz_;
  std::vector<double> residuals_;
  double worst_ = 0;
  bool is_fresh_ = false;  ///< not rotated since the bases started
  double least_ = 0;       ///< worst_ when it last fell
  Index stalled_ = 0;      ///< measurements since
  bool is_stuck_ = false;  ///< new bases are better
  bool is_converged_ = false;
  bool is_at_limit_ = false;  ///< residuals are rounding of products
  bool is_cancelled_ = false;
  bool is_finite_ = true;
  SvdResult<Exec, T> result_;
};

}  // namespace tessera::solve::detail
