// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/maps.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/normal_operator.hpp>
#include <tessera/solve/values.hpp>

/// Golub and Kahan's bidiagonalisation.
namespace tessera::solve::detail {

/// next = α·2^e·v from c = Aᵀ·b and scale = 2^e. If beta is 0, it is the root of *square, which the
/// first element copies to the host.
template <class T>
struct NextRight {
  T scale;
  T beta;
  T const* square;
  T* told;
  T const* w;
  T const* c;
  T* next;
  KOKKOS_FUNCTION T root() const {
    return beta != T(0) ? beta : static_cast<T>(Kokkos::sqrt(static_cast<double>(*square)));
  }
  KOKKOS_FUNCTION NextRight loaded() const { return {scale, root(), square, told, w, c, next}; }
  KOKKOS_FUNCTION void operator()(Index i) const {
    T const by = root();
    next[i] = Kokkos::fma(-by, w[i], scale * (scale * c[i] / by));
    if (i == 0) *told = *square;
  }
};

/// 2^e·A·V_k = U_(k+1)·B_k from u_1 = r/‖r‖, with α_1 … α_k on the diagonal of B_k and β_2 …
/// β_(k+1) below it. e brings α_1 between 1 and 2, so that products do not over- or underflow
/// because all elements of A are large or small.
///
/// An iteration reads A once: b = A·w - (α/‖b'‖)·b' with w = 2^e·v and b' = β·u of the previous
/// iteration. Aᵀ·b gives the next v.
template <class Exec, class T>
class GolubKahan {
  template <class, class>
  friend class SharedProducts;

 public:
  struct Numbers {
    double norm_of_start = 0;  ///< ‖r‖
    double exponent = 0;       ///< e
    double alpha = 0;
    double beta = 1;
  };

  explicit GolubKahan(NormalOperator<Exec, T> const& op)
      : op_(op),
        norms_(op.exec(), places),
        square_(make_values<Exec, T>(op.exec(), 1)),
        b_(make_values<Exec, T>(op.exec(), op.rows())),
        w_(make_values<Exec, T>(op.exec(), op.cols())),
        c_(make_values<Exec, T>(op.exec(), op.cols())),
        next_(make_values<Exec, T>(op.exec(), op.cols())) {}

  /// r, to set before `start`.
  [[nodiscard]] Values<Exec, T> const& b() const { return b_; }
  /// 2^e·v.
  [[nodiscard]] Values<Exec, T> const& w() const { return w_; }
  /// α·2^e·v, valid until the next iteration.
  [[nodiscard]] Values<Exec, T> const& next() const { return next_; }
  [[nodiscard]] Numbers const& numbers() const { return numbers_; }
  [[nodiscard]] double alpha() const { return numbers_.alpha; }
  [[nodiscard]] double beta() const { return numbers_.beta; }
  [[nodiscard]] double norm(ConstValues<Exec, T> const& x) { return norms_(x); }
  [[nodiscard]] double scaled(double x) const { return std::scalbn(x, exponent()); }
  [[nodiscard]] double unscaled(double x) const { return std::scalbn(x, -exponent()); }

  /// Finds α_1 and w with one read of A, or none if ‖r‖ is 0 or not finite. w is undefined if α_1
  /// is 0 or not finite.
  void start() {
    if (!begin_start()) return;
    op_.multiply_transposed(b_, c_);
    finish_start();
  }

  /// Finds the next β, α and `next` with one read of A. α is 0 if β is. Fences once, unless ‖b‖²
  /// over- or underflows.
  void advance() {
    if (next_b_.extent(0) == 0) next_b_ = make_values<Exec, T>(op_.exec(), op_.rows());
    op_.atax(w_, map(), next_b_, c_);
    begin_norms();
    op_.exec().fence("tessera: the norms of a step are on the host");
    finish_norms();
  }

  /// Returns false and changes nothing if the numbers cannot come from a run.
  [[nodiscard]] bool restore(Numbers const& numbers, std::vector<T> const& b,
                             std::vector<T> const& w) {
    bool const can_be = std::fabs(numbers.exponent) <= most_exponent && numbers.beta > 0 &&
                        numbers.norm_of_start > 0 &&
                        numbers.exponent == std::trunc(numbers.exponent);
    if (!can_be) return false;
    numbers_ = numbers;
    from_host(op_.exec(), b, b_);
    from_host(op_.exec(), w, w_);
    return true;
  }

 private:
  static constexpr int most_exponent = std::numeric_limits<T>::max_exponent - 2;

  enum Place : std::size_t { of_b, of_next, places };

  /// Normalises r. Returns whether the product c = Aᵀ·b must follow.
  bool begin_start() {
    numbers_ = {.norm_of_start = norms_(b_)};
    double const norm = numbers_.norm_of_start;
    if (!(norm > 0 && std::isfinite(norm))) return false;
    for_each_element(op_.exec(), "tessera::solve::divide", op_.rows(),
                     Divide<T>{b_.data(), static_cast<T>(norm), T(1), b_.data()});
    return true;
  }
  void finish_start() {
    double const alpha = norms_(c_);
    numbers_.alpha = alpha;
    if (!(alpha > 0 && std::isfinite(alpha))) return;
    numbers_.exponent = std::clamp(-std::ilogb(alpha), -most_exponent, most_exponent);
    numbers_.alpha = scaled(alpha);
    for_each_element(
        op_.exec(), "tessera::solve::divide", op_.cols(),
        Divide<T>{c_.data(), static_cast<T>(alpha), static_cast<T>(scaled(1)), w_.data()});
  }

  /// The map of an iteration: next_b = map(A·w) and c = Aᵀ·next_b.
  [[nodiscard]] auto map() const {
    return maps::plus(static_cast<T>(-numbers_.alpha / numbers_.beta), b_);
  }
  /// After these products. `finish_norms` needs a fence before it.
  void begin_norms() {
    std::swap(b_, next_b_);
    norms_.sum(b_, square_);
    make_next(T(0));
    norms_.begin(next_, of_next);
  }
  void finish_norms() {
    double const beta = norms_.of(b_, of_b);
    numbers_.beta = beta;
    numbers_.alpha = 0;
    if (!std::isfinite(beta)) return;
    if (beta == 0) {
      Kokkos::deep_copy(op_.exec(), next_, T(0));
      return;
    }
    if (norms_.is_root(of_b)) {
      numbers_.alpha = unscaled(norms_.of(next_, of_next));
    } else {
      make_next(static_cast<T>(beta));
      numbers_.alpha = unscaled(norms_(next_));
    }
  }

  /// Beta as in NextRight.
  void make_next(T beta) {
    for_each_element(op_.exec(), "tessera::solve::next", op_.cols(),
                     NextRight<T>{static_cast<T>(scaled(1)), beta, square_.data(), norms_.at(of_b),
                                  w_.data(), c_.data(), next_.data()});
  }

  [[nodiscard]] int exponent() const { return static_cast<int>(numbers_.exponent); }

  NormalOperator<Exec, T> const& op_;
  Norms<Exec, T> norms_;
  Values<Exec, T> square_;  ///< ‖b‖²
  Values<Exec, T> b_;
  Values<Exec, T> next_b_;
  Values<Exec, T> w_;
  Values<Exec, T> c_;
  Values<Exec, T> next_;
  Numbers numbers_;
};

}  // namespace tessera::solve::detail
