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

#include <tessera/atax.hpp>
#include <tessera/backends/compiled.hpp>
#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/checks.hpp>
#include <tessera/gemm.hpp>
#include <tessera/kernels/elements.hpp>
#include <tessera/multiply_transposed.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/golub_kahan.hpp>
#include <tessera/solve/operator.hpp>
#include <tessera/solve/small_svd.hpp>
#include <tessera/vectors.hpp>

namespace tessera::solve {

/// Options of `svd`.
struct SvdOptions {
  /// The residual of each triplet, relative to the largest singular value; 0: the precision of the
  /// scalar type.
  double tol = 0;
  Index maxiter = 0;  ///< most steps; 0: 100 times as many as the basis has vectors
  /// Vectors of the basis between two restarts, more than k; 0: the larger of 2k + 1 and 20. More
  /// than the sizes of the matrix allow are not used.
  Index ncv = 0;
  bool want_u = false;  ///< U, by one read more, or a few: see `svd`
};

/// The k largest singular values, and their vectors.
template <class Exec, class T>
struct SvdResult {
  std::vector<double> s;          ///< falling; fewer than k where it stopped before it had k
  Rows<Exec, T> VT;               ///< right singular vectors, one a row
  Rows<Exec, T> UT;               ///< left singular vectors, one a row, where they are wanted
  std::vector<double> residuals;  ///< bounds of ‖Aᵀ·u - s·v‖
  Stop stop = Stop::breakdown;
  Index iterations = 0;
  Index reads = 0;  ///< of A, by this call
  std::vector<Step> history;
};

namespace detail {

/// Entry i is a whole number made of i and the seed, divided by a power of two.
template <class T>
struct MixedNumbers {
  std::uint64_t seed;
  T* x;
  KOKKOS_FUNCTION void operator()(Index i) const {
    // The finaliser of SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, 2014).
    std::uint64_t z = (seed + static_cast<std::uint64_t>(i)) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    auto const whole = static_cast<std::int32_t>((z ^ (z >> 31U)) >> 40U);  // 24 bits
    x[i] = (static_cast<T>(whole) - T(0x1p23)) * T(0x1p-23);
  }
};

/// x of different numbers from -1 to 1, the same ones everywhere.
template <class Exec, class T>
void mix(Exec const& exec, std::uint64_t seed, Values<Exec, T> const& x) {
  static std::string const label("tessera::solve::mix");
  for_each_element(exec, label, static_cast<Index>(x.extent(0)),
                   MixedNumbers<T>{seed << 40U, x.data()});
}

/// The vector whose product with Aᵀ begins the basis of a run of `svd`.
template <class Exec, class T>
void mix_to_begin(Exec const& exec, Values<Exec, T> const& x) {
  mix<Exec, T>(exec, 0, x);
}

/// Orthonormal vectors, and room for some more.
template <class Exec, class T>
class Basis {
 public:
  Basis(Exec const& exec, Index most, Index size)
      : exec_(exec),
        size_(size),
        values_(make_values<Exec, T>(exec, most * size)),
        along_(make_values<Exec, T>(exec, most)),
        between_(make_values<Exec, T>(exec, size)) {}

  [[nodiscard]] Values<Exec, T> const& values() const { return values_; }
  /// The first vectors.
  [[nodiscard]] Rows<Exec, T> first(Index count) const {
    return Rows<Exec, T>(values_.data(), static_cast<std::size_t>(count),
                         static_cast<std::size_t>(size_));
  }
  [[nodiscard]] Values<Exec, T> vector(Index i) const {
    return Values<Exec, T>(values_.data() + i * size_, static_cast<std::size_t>(size_));
  }
  /// Makes x orthogonal to the first `count` vectors, and returns its products with them.
  std::vector<T> make_orthogonal(Index count, Values<Exec, T> const& x) {
    if (count == 0) return {};
    Values<Exec, T> const along(along_.data(), static_cast<std::size_t>(count));
    subtract_projection(count, x, along, between_);
    std::vector<T> const products = to_host<Exec, T>(exec_, along);
    subtract_projection(count, between_, along, x);
    return products;
  }
  /// Vector `count` becomes one that is orthogonal to those before it.
  void add_any(Index count, std::uint64_t seed, Norms<Exec, T>& norm) {
    Values<Exec, T> const x = vector(count);
    for (std::uint64_t attempt = 0;; ++attempt) {
      mix<Exec, T>(exec_, seed + (attempt << 20U), x);
      double const before = norm(x);
      make_orthogonal(count, x);
      double const left = norm(x);
      if (left > before * std::sqrt(static_cast<double>(std::numeric_limits<T>::epsilon())) ||
          attempt == 8) {
        return scale(exec_, static_cast<T>(1 / left), x);
      }
    }
  }

 private:
  /// to = x - Σ v·(vᵀ·x), along = vᵀ·x
  void subtract_projection(Index count, Values<Exec, T> const& x, Values<Exec, T> const& along,
                           Values<Exec, T> const& to) {
    atax(exec_, first(count), x, along, to,
         {.workspace = &workspace_, .alpha = T(-1), .beta = T(1), .z = x});
  }

  Exec exec_;
  Index size_;
  Values<Exec, T> values_;
  Values<Exec, T> along_;
  Values<Exec, T> between_;
  Workspace<Exec> workspace_;
};

/// The most vectors that the matrix has. k has to be from 1 to it.
template <class Operator>
Index most_vectors(char const* name, Operator const& op, Index k) {
  Index const most = std::min(op.rows(), op.cols());
  if (k < 1 || k > most) {
    checks::fail(name, "expected k from 1 to the smaller size of the matrix, " +
                           std::to_string(most) + ", found " + std::to_string(k));
  }
  return most;
}

/// What a run of `svd` may begin with.
template <class Exec, class T>
struct SvdBeginning {
  Values<Exec, T> c;  ///< Aᵀ times the vector of `mix_to_begin`, becomes the run's own; or nothing
  Index reads = 0;    ///< that were made before

  [[nodiscard]] bool is_there() const { return c.extent(0) > 0; }
};

/// A run of `svd`. With 2^e·A for A, V_j of the basis and U_j that is not kept,
///   A·V_j = U_j·B_j and Aᵀ·U_j = V_j·B_jᵀ + v_(j+1)·couplingᵀ,
/// where B_j is upper triangular: a diagonal of Ritz values, a column that couples the vector after
/// them to them, and from there on a diagonal and one above it.
template <class Exec, class T>
class SvdRun {
 public:
  using Operator = NormalOperator<Exec, T>;

  SvdRun(char const* name, Operator const& op, Index k, SvdOptions const& options,
         Control<T> const& control, SvdBeginning<Exec, T> const& begin)
      : name_(name),
        op_(op),
        k_(k),
        size_(size_of_basis(name, op, k, options)),
        tol_(std::max(options.tol, static_cast<double>(eps))),
        maxiter_(options.maxiter > 0 ? options.maxiter : 100 * size_),
        want_u_(options.want_u),
        control_(control),
        norm_(op.exec()),
        basis_(op.exec(), size_ + 1, op.cols()),
        spare_(op.exec(), size_ + 1, op.cols()),
        b_(make_values<Exec, T>(op.exec(), op.rows())),
        w_(make_values<Exec, T>(op.exec(), op.rows())),
        x_(make_values<Exec, T>(op.exec(), op.cols())),
        c_(begin.is_there() ? begin.c : make_values<Exec, T>(op.exec(), op.cols())),
        begin_(begin),
        B_(size_, size_ + 1),
        losses_(static_cast<std::size_t>(size_)) {}

  SvdResult<Exec, T> operator()() {
    backends::host::OrdinaryArithmetic const mode;
    Index const reads_before = op_.reads() - begin_.reads;
    op_.agree(name_,
              [&] { return digest_of(control_).add(k_, size_, tol_, maxiter_, want_u_).value(); });
    if (control_.resume != nullptr) {
      restore(*control_.resume);
    } else {
      start();
    }
    if (is_finite_) {
      if (done_ == size_) look();
      while (!stops()) {
        if (done_ == size_) restart();
        step();
        ++iteration_;
        if (done_ == size_ && is_finite_) look();
        tell(reads_before);
      }
    }
    finish();
    result_.iterations = iteration_;
    result_.reads = op_.reads() - reads_before;
    return std::move(result_);
  }

 private:
  static constexpr T eps = std::numeric_limits<T>::epsilon();

  static Index size_of_basis(char const* name, Operator const& op, Index k,
                             SvdOptions const& options) {
    Index const most = most_vectors(name, op, k);
    if (options.ncv != 0 && options.ncv <= k) {
      checks::fail(name, "expected ncv to be more than k, found " + std::to_string(options.ncv));
    }
    if (!(options.tol >= 0) || options.maxiter < 0) {
      checks::fail(name, "expected tol and maxiter that are not negative");
    }
    Index const wanted = options.ncv != 0 ? options.ncv : std::max(2 * k + 1, Index{20});
    return std::min({op.cols(), most + 1, wanted});
  }

  /// What is zero beside the largest numbers of B.
  [[nodiscard]] double negligible() const { return 16 * static_cast<double>(eps) * largest_; }
  [[nodiscard]] T two_to_e() const { return static_cast<T>(std::ldexp(1.0, exponent_)); }

  /// The first vector of the basis is Aᵀ times a vector of mixed numbers.
  void start() {
    if (!begin_.is_there()) {
      mix_to_begin<Exec, T>(op_.exec(), b_);
      op_.multiply_transposed(b_, c_);
    }
    double const norm = norm_(c_);
    is_finite_ = std::isfinite(norm);
    if (!is_finite_) return;
    has_next_ = true;
    if (norm == 0) return basis_.add_any(0, 1, norm_);
    constexpr int most = std::numeric_limits<T>::max_exponent - 2;
    exponent_ = std::clamp(-std::ilogb(norm), -most, most);
    axpby(op_.exec(), two_to_e(), c_, T(0), basis_.vector(0));
    scale(op_.exec(), static_cast<T>(1 / std::ldexp(norm, exponent_)), basis_.vector(0));
  }

  /// One more column of B, by one read of A.
  void step() {
    Exec const& exec = op_.exec();
    Index const j = done_;
    make_input(j);
    if (has_w_) {
      op_.atax(x_, maps::minus(w_), b_, c_);
    } else {
      op_.atax(x_, {}, b_, c_);
    }
    has_w_ = false;
    double const alpha = norm_(b_);
    is_finite_ = std::isfinite(alpha);
    if (!is_finite_) return;
    largest_ = std::max(largest_, alpha);
    done_ = j + 1;
    bool const is_in_range = alpha > negligible();
    double beta = 0;
    if (is_in_range) {
      axpby(exec, static_cast<T>(1 / alpha), c_, T(0), x_);
      scale(exec, two_to_e(), x_);
      losses_[static_cast<std::size_t>(j)] = loss(basis_.make_orthogonal(done_, x_), alpha);
      beta = norm_(x_);
      is_finite_ = std::isfinite(beta);
      if (!is_finite_) return;
      largest_ = std::max(largest_, beta);
    }
    B_(j, j) = is_in_range ? alpha : 0;
    has_next_ = done_ < op_.cols();
    if (beta > negligible() && has_next_) {
      B_(j, done_) = beta;
      axpby(exec, static_cast<T>(1 / beta), x_, T(0), basis_.vector(done_));
      std::swap(b_, w_);
      scale(exec, static_cast<T>(beta / alpha), w_);
      has_w_ = true;
    } else if (has_next_) {
      basis_.add_any(done_, static_cast<std::uint64_t>(iteration_) + 2, norm_);
    }
  }

  /// x = 2^e·(v - Σ ρ_i/σ_i·v_i): A·x is then what A·v has beside the u_i that v is coupled to.
  void make_input(Index j) {
    Exec const& exec = op_.exec();
    axpby(exec, two_to_e(), basis_.vector(j), T(0), x_);
    if (j != kept_ || j == 0) return;
    std::vector<T> factors(static_cast<std::size_t>(j));
    for (Index i = 0; i < j; ++i) {
      if (B_(i, j) == 0) continue;
      factors[static_cast<std::size_t>(i)] = static_cast<T>(B_(i, j) / B_(i, i));
    }
    Values<Exec, T> const on_device = make_values<Exec, T>(exec, j);
    from_host<Exec, T>(exec, factors, on_device);
    multiply_transposed(exec, basis_.first(j), on_device, c_, {.workspace = &workspace_});
    axpby(exec, -two_to_e(), c_, T(1), x_);
  }

  /// How far Aᵀ·u is from having the product α with the newest vector of the basis, and none with
  /// the others: as far as u is from orthogonal to those before it.
  static double loss(std::vector<T> const& products, double alpha) {
    double sum = 0;
    for (std::size_t i = 0; i < products.size(); ++i) {
      double const off = static_cast<double>(products[i]) - (i + 1 == products.size() ? alpha : 0);
      sum = std::fma(off, off, sum);
    }
    return std::sqrt(sum);
  }

  /// The Ritz values of what is there, and how good they are.
  void look() {
    SmallMatrix B(done_, done_);
    for (Index i = 0; i < done_; ++i) {
      for (Index j = i; j < done_; ++j) B(i, j) = B_(i, j);
    }
    ritz_ = small_svd(std::move(B));
    residuals_.assign(static_cast<std::size_t>(done_), 0);
    for (Index i = 0; i < done_; ++i) {
      residuals_[static_cast<std::size_t>(i)] =
          std::abs(product_of(done_, B_.column(done_), ritz_.U.column(i)));
    }
    is_converged_ = done_ >= k_;
    worst_ = 0;
    for (Index i = 0; i < std::min(k_, done_); ++i) {
      worst_ = std::max(worst_, residuals_[static_cast<std::size_t>(i)]);
    }
    tolerance_ = done_ == 0 ? 0 : tol_ * ritz_.s[0];
    is_converged_ = is_converged_ && worst_ <= tolerance_;
  }

  /// The basis becomes the Ritz vectors of the largest values, and the vector after it.
  void restart() {
    Index kept = std::min(size_ - 1, (k_ + size_) / 2);
    std::vector<double> coupling(static_cast<std::size_t>(kept));
    // A vector is kept where its coupling can be taken out of A·v without harm.
    for (Index i = 0; i < kept; ++i) {
      double const rho = product_of(done_, B_.column(done_), ritz_.U.column(i));
      if (!(std::abs(rho) <= 1024 * ritz_.s[static_cast<std::size_t>(i)])) kept = i;
      if (i < kept) coupling[static_cast<std::size_t>(i)] = rho;
    }
    std::vector<double> const losses = losses_of_ritz(kept);
    rotate_basis(kept, spare_.first(kept));
    axpby(op_.exec(), T(1), basis_.vector(done_), T(0), spare_.vector(kept));
    std::swap(basis_, spare_);
    B_ = SmallMatrix(size_, size_ + 1);
    for (Index i = 0; i < kept; ++i) {
      B_(i, i) = ritz_.s[static_cast<std::size_t>(i)];
      B_(i, kept) = coupling[static_cast<std::size_t>(i)];
    }
    std::fill(losses_.begin(), losses_.end(), 0);
    std::copy_n(losses.begin(), kept, losses_.begin());
    done_ = kept_ = kept;
    has_w_ = false;
  }

  /// to = the first Ritz vectors.
  void rotate_basis(Index count, Rows<Exec, T> const& to) {
    Exec const& exec = op_.exec();
    if (count == 0) return;
    std::vector<T> turned;
    for (Index i = 0; i < count; ++i) {
      for (Index j = 0; j < done_; ++j) turned.push_back(static_cast<T>(ritz_.V(j, i)));
    }
    Values<Exec, T> const on_device = make_values<Exec, T>(exec, count * done_);
    from_host<Exec, T>(exec, turned, on_device);
    Rows<Exec, T> const Q(on_device.data(), static_cast<std::size_t>(count),
                          static_cast<std::size_t>(done_));
    gemm(exec, Q, basis_.first(done_), to, {.workspace = &workspace_});
    exec.fence("tessera::svd: the basis is rotated");
  }

  [[nodiscard]] std::vector<double> losses_of_ritz(Index count) const {
    std::vector<double> losses(static_cast<std::size_t>(count));
    for (Index i = 0; i < count; ++i) {
      for (Index j = 0; j < done_; ++j) {
        losses[static_cast<std::size_t>(i)] =
            std::fma(std::abs(ritz_.U(j, i)), losses_[static_cast<std::size_t>(j)],
                     losses[static_cast<std::size_t>(i)]);
      }
    }
    return losses;
  }

  [[nodiscard]] Step present(Index reads_before) const {
    return {.iteration = iteration_,
            .reads = op_.reads() - reads_before,
            .residual = std::ldexp(worst_, -exponent_),
            .tolerance = std::ldexp(tolerance_, -exponent_)};
  }

  void tell(Index reads_before) {
    Step const step = present(reads_before);
    result_.history.push_back(step);
    if (control_.on_step && !control_.on_step(step)) is_cancelled_ = true;
    bool const is_last = is_cancelled_ || iteration_ >= maxiter_;
    if (is_finite_) {
      offer_state(control_, step, [&] { return state(); }, is_last);
    }
  }

  /// Whether there is nothing more to do, and why.
  bool stops() {
    if (!is_finite_) return true;
    bool const is_looked_at = done_ == size_;
    // Where no vector is left, A maps the space of the basis into itself.
    if (is_looked_at && (is_converged_ || !has_next_)) {
      result_.stop = Stop::converged;
    } else if (is_cancelled_) {
      result_.stop = Stop::cancelled;
    } else if (iteration_ >= maxiter_) {
      result_.stop = Stop::iteration_limit;
    } else {
      return false;
    }
    return true;
  }

  /// What there is becomes the result.
  void finish() {
    if (!is_finite_) {
      result_.stop = Stop::not_finite;
      return;
    }
    look();
    if (!ritz_.is_converged) {
      result_.stop = Stop::not_finite;
      return;
    }
    Index const found = std::min(k_, done_);
    std::vector<double> const losses = losses_of_ritz(found);
    for (Index i = 0; i < found; ++i) {
      auto const at = static_cast<std::size_t>(i);
      result_.s.push_back(std::ldexp(ritz_.s[at], -exponent_));
      result_.residuals.push_back(std::ldexp(residuals_[at] + losses[at], -exponent_));
    }
    if (found == 0) return;
    result_.VT = make_rows(found, op_.cols());
    rotate_basis(found, result_.VT);
    // Where the vectors u have lost their orthogonality, what A has may be other than what B says.
    double const limit = std::max(tol_, std::sqrt(static_cast<double>(eps))) * result_.s[0];
    auto const is_bad = [&] {
      return result_.stop == Stop::converged &&
             *std::max_element(result_.residuals.begin(), result_.residuals.end()) > limit;
    };
    if (want_u_ || is_bad()) measure(found);
    if (is_bad()) result_.stop = Stop::breakdown;
  }

  /// s = ‖A·v‖, u = A·v/s and ‖Aᵀ·u - s·v‖. Where s is zero beside the largest, u is a vector that
  /// is orthogonal to the others. All v are multiplied at once where there is memory for all u.
  void measure(Index found) {
    Exec const& exec = op_.exec();
    Basis<Exec, T> left(exec, want_u_ ? found : 1, op_.rows());
    // The basis is not needed any more.
    axpby(exec, two_to_e(),
          Values<Exec, T>(result_.VT.data(), static_cast<std::size_t>(found * op_.cols())), T(0),
          Values<Exec, T>(spare_.values().data(), static_cast<std::size_t>(found * op_.cols())));
    if (want_u_) op_.atax_of_each(spare_.first(found), {}, left.first(found), basis_.first(found));
    for (Index i = 0; i < found; ++i) {
      Values<Exec, T> const u = left.vector(want_u_ ? i : 0);
      if (!want_u_) op_.atax(spare_.vector(i), {}, u, basis_.vector(i));
      double const s = norm_(u);
      if (s > negligible()) {
        axpby(exec, static_cast<T>(1 / s), basis_.vector(i), T(0), x_);
        scale(exec, two_to_e(), x_);
        axpby(exec, static_cast<T>(-s), row<Exec, T>(result_.VT, i), T(1), x_);
        auto const at = static_cast<std::size_t>(i);
        result_.s[at] = std::ldexp(s, -exponent_);
        result_.residuals[at] = std::ldexp(norm_(x_), -exponent_);
      }
      if (!want_u_) continue;
      left.make_orthogonal(i, u);
      double const norm = norm_(u);
      if (norm > negligible()) {
        scale(exec, static_cast<T>(1 / norm), u);
      } else {
        left.add_any(i, static_cast<std::uint64_t>(i), norm_);
      }
    }
    if (!want_u_) return;
    result_.UT = make_rows(found, op_.rows());
    Kokkos::deep_copy(exec, result_.UT, left.first(found));
    exec.fence("tessera::svd: U is there");
  }

  Rows<Exec, T> make_rows(Index rows, Index cols) const {
    return Rows<Exec, T>(
        Kokkos::view_alloc(op_.exec(), Kokkos::WithoutInitializing, std::string("tessera::svd")),
        static_cast<std::size_t>(rows), static_cast<std::size_t>(cols));
  }

  // ---- states ----

  static constexpr std::size_t fixed_numbers = 8;

  [[nodiscard]] State<T> state() const {
    State<T> state;
    state.of = state_of<T>(name_, op_);
    state.iteration = iteration_;
    state.history = result_.history;
    state.numbers = {static_cast<double>(k_),        static_cast<double>(size_),
                     static_cast<double>(done_),     static_cast<double>(kept_),
                     has_next_ ? 1.0 : 0.0,          has_w_ ? 1.0 : 0.0,
                     static_cast<double>(exponent_), largest_};
    state.numbers.insert(state.numbers.end(), B_.values().begin(), B_.values().end());
    state.numbers.insert(state.numbers.end(), losses_.begin(), losses_.end());
    Exec const& exec = op_.exec();
    state.vectors.push_back(to_host<Exec, T>(
        exec, Values<Exec, T>(basis_.values().data(), static_cast<std::size_t>(basis_entries()))));
    state.vectors.push_back(has_w_ ? to_host<Exec, T>(exec, w_) : std::vector<T>());
    return state;
  }

  [[nodiscard]] Index basis_entries() const { return (done_ + (has_next_ ? 1 : 0)) * op_.cols(); }

  void restore(State<T> const& state) {
    auto const require = [&](bool is_so) {
      if (!is_so) checks::fail(name_, "the state is not one of this run, or is damaged");
    };
    require_state_of(name_, state.of, state_of<T>(name_, op_));
    auto const& numbers = state.numbers;
    require(numbers.size() == fixed_numbers + B_.values().size() + losses_.size() &&
            state.vectors.size() == 2 && state.iteration >= 0);
    auto const whole = [&](std::size_t i, Index least, Index most) {
      double const x = numbers[i];
      require(x >= static_cast<double>(least) && x <= static_cast<double>(most) &&
              x == std::floor(x));
      return static_cast<Index>(x);
    };
    whole(0, k_, k_);
    whole(1, size_, size_);
    done_ = whole(2, 0, size_);
    kept_ = whole(3, 0, size_ - 1);
    has_next_ = whole(4, 0, 1) == 1;
    has_w_ = whole(5, 0, 1) == 1;
    constexpr Index most = std::numeric_limits<T>::max_exponent - 2;
    exponent_ = static_cast<int>(whole(6, -most, most));
    largest_ = numbers[7];
    require(kept_ <= done_ && (has_next_ ? done_ < op_.cols() : done_ == op_.cols()) &&
            static_cast<Index>(state.vectors[0].size()) == basis_entries() &&
            static_cast<Index>(state.vectors[1].size()) == (has_w_ ? op_.rows() : 0) &&
            all_finite(numbers));
    auto from = numbers.begin() + fixed_numbers;
    for (Index j = 0; j < B_.cols(); ++j) {
      std::copy_n(from, B_.rows(), B_.column(j));
      from += static_cast<std::ptrdiff_t>(B_.rows());
    }
    std::copy(from, numbers.end(), losses_.begin());
    double const* const coupling = B_.column(done_);
    require(has_next_ ||
            std::all_of(coupling, coupling + B_.rows(), [](double x) { return x == 0; }));
    iteration_ = state.iteration;
    result_.history = state.history;
    Exec const& exec = op_.exec();
    from_host<Exec, T>(exec, state.vectors[0],
                       Values<Exec, T>(basis_.values().data(), state.vectors[0].size()));
    if (has_w_) from_host<Exec, T>(exec, state.vectors[1], w_);
  }

  char const* name_;
  Operator const& op_;
  Index k_;
  Index size_;  ///< of the basis
  double tol_;
  Index maxiter_;
  bool want_u_;
  Control<T> const& control_;

  Workspace<Exec> workspace_;
  Norms<Exec, T> norm_;
  Basis<Exec, T> basis_;
  Basis<Exec, T> spare_;
  Values<Exec, T> b_;
  Values<Exec, T> w_;  ///< the multiple of the last u that A·v has
  Values<Exec, T> x_;
  Values<Exec, T> c_;
  SvdBeginning<Exec, T> begin_;

  SmallMatrix B_;               ///< its last column but for size_ + 1 is that of the next step
  std::vector<double> losses_;  ///< of the rows of B
  Index done_ = 0;              ///< columns of B
  Index kept_ = 0;              ///< Ritz vectors at the beginning of the basis
  bool has_next_ = false;       ///< a vector after those
  bool has_w_ = false;
  int exponent_ = 0;    ///< e
  double largest_ = 0;  ///< number of B
  Index iteration_ = 0;

  SmallSvd ritz_;
  std::vector<double> residuals_;
  double worst_ = 0;
  double tolerance_ = 0;
  bool is_converged_ = false;
  bool is_cancelled_ = false;
  bool is_finite_ = true;
  SvdResult<Exec, T> result_;
};

template <class Exec, class T>
SvdResult<Exec, T> run_svd(char const* name, NormalOperator<Exec, T> const& op, Index k,
                           SvdOptions const& options, Control<T> const& control,
                           SvdBeginning<Exec, T> const& begin) {
  return SvdRun<Exec, T>(name, op, k, options, control, begin)();
}

}  // namespace detail

/// The k largest singular values of A and their vectors
///
/// | argument | | |
/// |---|---|---|
/// | op | m x n | in: the matrix A |
/// | k | | in: 1 … min(m, n) |
/// | options | | tolerance, limit of steps, size of the basis, whether U is wanted |
/// | control | | progress, cancellation, states |
///
/// Work: a step reads A once, and the basis of ncv vectors of n entries four times; one more read
/// begins. U takes one read of a stream, and in memory one for up to 32 vectors, by several
/// ranks one for each; it also measures s and the residuals. Memory: twice the basis, and
/// 2m + 4n scalars; 2·m·k for U.
///
/// Guarantees: the bits of the result are a function of A, its layout, k and the options, whatever
/// the backend, and whether A is streamed or the run was interrupted. It has converged where
/// ‖Aᵀ·u - s·v‖ <= tol·s_1 for each triplet, but for rounding. The vectors u are not
/// orthogonalised, so that A need not be read for them, and lose orthogonality as small singular
/// values come near: `residuals` count that. Where one of them is larger than √ε·s_1, they are
/// measured by k more reads, and where that is so, too, it stops with Stop::breakdown. Singular
/// values above √ε·s_1 are good to a few ε·s_1; those below have an error of up to ε·s_1²/s, as
/// squares of A would give. Of a singular value that A has several times, a run may find fewer
/// copies.
/// Throws std::invalid_argument for options and states that do not fit.
///
/// Source: Golub–Kahan–Lanczos bidiagonalisation with one-sided reorthogonalisation (H. D. Simon
/// and H. Zha, SIAM J. Sci. Comput. 21, 2000) and thick restarts (J. Baglama and L. Reichel, SIAM
/// J. Sci. Comput. 27, 2005).
template <ExecutionSpace Exec, Scalar T>
SvdResult<Exec, T> svd(NormalOperator<Exec, T> const& op, Index k, SvdOptions const& options = {},
                       std::type_identity_t<Control<T>> const& control = {}) {
  return detail::run_svd<Exec, T>("svd", op, k, options, control, {});
}

}  // namespace tessera::solve

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_SOLVE_SVD(TEMPLATE, EXEC, T)                                              \
  namespace tessera::solve::detail {                                                      \
  TEMPLATE SvdResult<EXEC, T> run_svd(char const*, NormalOperator<EXEC, T> const&, Index, \
                                      SvdOptions const&, Control<T> const&,               \
                                      SvdBeginning<EXEC, T> const&);                      \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_SOLVE_SVD)
