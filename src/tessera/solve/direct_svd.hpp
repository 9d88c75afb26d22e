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

#include <tessera/backends/platform/arithmetic.hpp>
#include <tessera/detail/digest.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/direct.hpp>
#include <tessera/solve/normal_operator.hpp>
#include <tessera/solve/small_svd.hpp>
#include <tessera/solve/triplets.hpp>
#include <tessera/solve/values.hpp>
#include <tessera/vectors.hpp>

namespace tessera::solve::detail {

inline bool may_be_direct(Index cols, SvdOptions const& options) {
  return cols >= 1 && cols <= options.direct && options.ncv == 0 && options.maxiter == 0 &&
         options.tol >= 0;
}

/// Null if A cannot be decomposed directly.
template <class Exec, class T>
BlockOperator<Exec, T> const* direct_operator(NormalOperator<Exec, T> const& op,
                                              SvdOptions const& options) {
  if (!may_be_direct(op.cols(), options)) return nullptr;
  auto const* const block = dynamic_cast<BlockOperator<Exec, T> const*>(&op);
  return block != nullptr && block->has_gram() ? block : nullptr;
}

struct DirectSvdOptions {
  Index k = 1;
  bool is_centred = false;
  bool scale = false;
  bool want_u = false;
};

template <class Exec, class T>
struct DirectSvdResult {
  SvdResult<Exec, T> svd;
  std::vector<double> mean;
  std::vector<double> deviation;
  std::vector<double> ratio;  ///< s² over the sum of squares of all elements
};

/// A centred matrix is (A - 1·shiftᵀ) minus its column means, so the shift may be rounded.
template <class Exec, class T>
class DirectSvd {
 public:
  using Operator = BlockOperator<Exec, T>;
  using Result = DirectSvdResult<Exec, T>;

  DirectSvd(char const* name, Operator const& op, DirectSvdOptions const& options,
            Control<T> const& control)
      : op_(op),
        options_(options),
        n_(op.cols()),
        rows_(static_cast<double>(op.rows())),
        reads_(name, op, control,
               {static_cast<double>(options.k), options.is_centred ? 1.0 : 0.0,
                options.scale ? 1.0 : 0.0}) {
    op.agree(name, [&] { return tessera::detail::Digest().add(options.want_u).value(); });
  }

  Result operator()() {
    backends::host::OrdinaryArithmetic const mode;
    result_.svd.is_direct = true;
    result_.svd.stop = solve();
    result_.svd.iterations = reads_.count();
    result_.svd.reads = reads_.reads();
    result_.svd.history = reads_.history();
    return std::move(result_);
  }

 private:
  static constexpr auto eps_T = static_cast<double>(std::numeric_limits<T>::epsilon());
  static constexpr bool is_float = std::is_same_v<T, float>;

  Stop solve() {
    SmallMatrix C;
    if (!read_columns(C)) return Stop::cancelled;
    if (!is_finite_) return Stop::not_finite;
    bool const is_far = is_far_from_origin(C, 0x1p20);
    if (is_far) {
      shift_ = means();
      if (!read(nullptr, C)) return Stop::cancelled;
    }
    bool const is_near = !options_.is_centred || is_far || !is_far_from_origin(C, 4);
    find_factors(C);
    GramFactor const gram(scaled(C));
    if (!gram.first.is_converged) return Stop::not_finite;
    if (options_.is_centred) take_means(C);
    Stop const stop = decompose(gram, is_near);
    return stop;
  }

  Stop decompose(GramFactor const& gram, bool is_near) {
    if (gram.largest() == 0) return put({}, gram.first.V, 0);
    // The error of s by one Gram matrix is ε·s_1²/s, in double.
    double const enough = is_float ? 1e-5 : 0.1;
    bool const is_good = is_near && gram.value(options_.k - 1) >= enough * gram.value(0);
    if (is_good) {
      std::vector<double> s;
      double total = 0;
      for (Index i = 0; i < n_; ++i) {
        s.push_back(gram.value(i));
        total += s.back() * s.back();
      }
      return put(s, gram.first.V, total);
    }
    if (options_.is_centred && shift_.empty()) shift_ = means();
    SmallMatrix P = gram.preconditioner();
    for (Index j = 0; j < n_; ++j) {
      for (Index i = 0; i < n_; ++i) P(i, j) *= factors_[static_cast<std::size_t>(i)];
    }
    SmallMatrix C2;
    if (!read(&P, C2)) return Stop::cancelled;
    SmallMatrix B;
    if (!gram.refine(std::move(C2), B)) return Stop::not_finite;
    if (options_.is_centred) B = take_deviations(B, gram.first.V);
    SmallSvd const svd = right_svd(B);
    if (!svd.is_converged) return Stop::not_finite;
    double total = 0;
    for (double const x : B.values()) total = std::fma(x, x, total);
    return put(svd.s, product(gram.first.V, svd.V), total);
  }

  /// Reads again with units if squares over- or underflow.
  bool read_columns(SmallMatrix& C) {
    if (!read(nullptr, C)) return false;
    if (auto const units = far_columns(G_, width(n_), n_, options_.scale);
        !units.empty() && !is_float) {
      units_ = units;
      if (!read(nullptr, C)) return false;
    }
    is_finite_ = std::ranges::all_of(G_, [](double x) { return std::isfinite(x); });
    return true;
  }

  [[nodiscard]] Index width(Index inner) const { return inner + (options_.is_centred ? 1 : 0); }

  /// C = the Gram matrix of (A - 1·shiftᵀ)·diag(units)·P, centred if wanted. Without P: the
  /// identity.
  bool read(SmallMatrix const* P, SmallMatrix& C) {
    Index const inner = P != nullptr ? P->cols() : n_;
    Index const all = width(inner);
    bool const goes_on =
        reads_(static_cast<std::size_t>(all * all), G_, [&](std::vector<double>& values) {
          GramProducts<Exec, T> products = products_of(P);
          products.has_ones = options_.is_centred;
          values = gram_of(op_, products);
        });
    if (!goes_on) return false;
    C = SmallMatrix(inner, inner);
    auto const at = [&](Index i, Index j) { return G_[static_cast<std::size_t>(i * all + j)]; };
    for (Index j = 0; j < inner; ++j) {
      for (Index i = 0; i < inner; ++i) {
        double const square = options_.is_centred ? at(i, inner) * at(j, inner) / rows_ : 0;
        C(i, j) = at(i, j) - square;
      }
    }
    if (P != nullptr || !options_.is_centred) return true;
    sums_.clear();
    for (Index j = 0; j < n_; ++j) sums_.push_back(at(j, n_));
    return true;
  }
  [[nodiscard]] GramProducts<Exec, T> products_of(SmallMatrix const* P) const {
    Exec const& exec = op_.exec();
    GramProducts<Exec, T> products;
    products.cols = n_;
    if (!shift_.empty()) products.shift = on_device(exec, shift_);
    if (!units_.empty()) {
      std::vector<double> powers;
      powers.reserve(units_.size());
      for (int const e : units_) powers.push_back(std::ldexp(1.0, e));
      products.units = on_device(exec, powers);
    }
    if (P != nullptr) products.PT = columns_on_device(exec, *P);
    return products;
  }

  [[nodiscard]] int unit(Index j) const {
    return units_.empty() ? 0 : units_[static_cast<std::size_t>(j)];
  }
  /// Whether centred squares lose digits.
  [[nodiscard]] bool is_far_from_origin(SmallMatrix const& C, double most) const {
    if (!options_.is_centred) return false;
    for (Index j = 0; j < n_; ++j) {
      double const square = G_[static_cast<std::size_t>(j * width(n_) + j)];
      if (square > most * C(j, j)) return true;
    }
    return false;
  }
  [[nodiscard]] std::vector<double> means() const {
    std::vector<double> means;
    for (Index j = 0; j < n_; ++j) {
      auto const at = static_cast<std::size_t>(j);
      double const rest = std::ldexp(sums_[at] / rows_, -unit(j));
      means.push_back(shift_.empty() ? rest : shift_[at] + rest);
    }
    return means;
  }

  /// Factors are powers of two or, for scaled columns, one over the norm; 0 if the norm is 0.
  void find_factors(SmallMatrix& C) {
    factors_.assign(static_cast<std::size_t>(n_), 0);
    exponent_ = std::numeric_limits<int>::min();
    for (Index j = 0; j < n_; ++j) {
      // Entries of a constant column differ from the shift by one number: the rest is rounding.
      if (options_.is_centred) {
        double const sum = sums_[static_cast<std::size_t>(j)];
        double const of_equal = 64 * std::numeric_limits<double>::epsilon() * sum * sum / rows_;
        if (C(j, j) <= of_equal) C(j, j) = 0;
      }
      if (C(j, j) > 0) {
        exponent_ = std::max(exponent_, std::ilogb(std::sqrt(C(j, j))) - unit(j));
      }
    }
    if (exponent_ == std::numeric_limits<int>::min() || options_.scale) exponent_ = 0;
    for (Index j = 0; j < n_; ++j) {
      if (C(j, j) == 0) continue;
      factors_[static_cast<std::size_t>(j)] =
          options_.scale ? 1 / std::sqrt(C(j, j)) : std::ldexp(1.0, -exponent_ - unit(j));
    }
  }
  [[nodiscard]] SmallMatrix scaled(SmallMatrix const& C) const {
    SmallMatrix G(n_, n_);
    for (Index j = 0; j < n_; ++j) {
      for (Index i = 0; i < n_; ++i) {
        double const f_i = factors_[static_cast<std::size_t>(i)];
        double const f_j = factors_[static_cast<std::size_t>(j)];
        G(i, j) = f_i == 0 || f_j == 0 ? 0 : f_i * C(i, j) * f_j;
      }
    }
    return G;
  }

  void take_means(SmallMatrix const& C) {
    result_.mean = means();
    for (Index j = 0; j < n_; ++j) {
      double const square = G_[static_cast<std::size_t>(j * width(n_) + j)];
      lost_.push_back(C(j, j) > 0 ? square / C(j, j) : 0);
      result_.deviation.push_back(
          std::ldexp(std::sqrt(std::max(0.0, C(j, j)) / (rows_ - 1)), -unit(j)));
    }
  }
  SmallMatrix take_deviations(SmallMatrix const& B, SmallMatrix const& W) {
    SmallMatrix R = product(B, transposed(W));
    double const largest = *std::ranges::max_element(result_.deviation);
    for (Index j = 0; j < n_; ++j) {
      auto const at = static_cast<std::size_t>(j);
      double const norm = std::sqrt(product_of(R.rows(), R.column(j), R.column(j)));
      if (factors_[at] == 0) continue;
      if (!options_.scale) {
        // This error is relative to the largest column; the error found before, to the mean.
        double const found = std::ldexp(norm / std::sqrt(rows_ - 1), exponent_);
        if (found * lost_[at] > largest) result_.deviation[at] = found;
        continue;
      }
      result_.deviation[at] *= norm;
      for (Index i = 0; i < R.rows(); ++i) R(i, j) /= norm;
    }
    return options_.scale ? product(R, W) : B;
  }

  /// `s` is relative to 2^exponent, or belongs to columns of norm 1.
  Stop put(std::vector<double> const& s, SmallMatrix V, double total) {
    Index const k = options_.k;
    double const unit = options_.scale ? std::sqrt(rows_ - 1) : 1;
    auto const value = [&](Index i) {
      bool const is_there = i < static_cast<Index>(s.size());
      double const x = is_there ? s[static_cast<std::size_t>(i)] : 0;
      return x > eps_T * (s.empty() ? 0 : s[0]) ? x : 0;
    };
    double const bound = (4 + std::sqrt(static_cast<double>(n_))) * eps_T * value(0);
    orthonormalise(V, k);
    std::vector<T> rows;
    for (Index i = 0; i < k; ++i) {
      result_.svd.s.push_back(std::ldexp(unit * value(i), exponent_));
      result_.svd.residuals.push_back(std::ldexp(unit * bound, exponent_));
      result_.ratio.push_back(total > 0 ? value(i) * value(i) / total : 0);
      flip(V, i);
      for (Index j = 0; j < n_; ++j) rows.push_back(static_cast<T>(V(j, i)));
    }
    Exec const& exec = op_.exec();
    result_.svd.VT = make_rows<Exec, T>(exec, k, n_);
    from_host<Exec, T>(exec, rows, flat(result_.svd.VT));
    if (options_.want_u) multiply(V, value);
    return Stop::converged;
  }
  /// Removes the rounding of two products.
  static void orthonormalise(SmallMatrix& V, Index k) {
    Index const n = V.rows();
    for (Index i = 0; i < k; ++i) {
      double* const v = V.column(i);
      for (Index j = 0; j < i; ++j) add_multiple(n, -product_of(n, V.column(j), v), V.column(j), v);
      double const norm = std::sqrt(product_of(n, v, v));
      for (Index j = 0; j < n; ++j) v[j] /= norm;
    }
  }
  void flip(SmallMatrix& V, Index i) const {
    double largest = 0;
    for (Index j = 0; j < n_; ++j) largest = std::max(largest, std::abs(V(j, i)));
    Index at = 0;
    while (std::abs(V(at, i)) < (1 - 1e-6) * largest) ++at;
    if (V(at, i) > 0) return;
    for (Index j = 0; j < n_; ++j) V(j, i) = -V(j, i);
  }

  /// U = A·V·diag(s)^-1 with one read.
  template <class Value>
  void multiply(SmallMatrix const& V, Value const& value) {
    Exec const& exec = op_.exec();
    Index const k = options_.k;
    SmallMatrix P(n_, k);
    for (Index i = 0; i < k; ++i) {
      if (value(i) == 0) continue;
      for (Index j = 0; j < n_; ++j) {
        P(j, i) = factors_[static_cast<std::size_t>(j)] * V(j, i) / value(i);
      }
    }
    Basis<Exec, T> left(exec, k, op_.rows());
    if (!shift_.empty() || options_.is_centred) shift_ = result_.mean;
    GramProducts<Exec, T> products = products_of(&P);
    products.MT = left.first(k);
    std::vector<double> const G = gram_of(op_, products);
    bool is_orthonormal = true;
    for (Index i = 0; i < k; ++i) {
      for (Index j = 0; j < k; ++j) {
        double const off = G[static_cast<std::size_t>(i * k + j)] - (i == j ? 1 : 0);
        is_orthonormal = is_orthonormal && std::abs(off) <= 8 * eps_T;
      }
    }
    if (!is_orthonormal) orthonormalise(left, value);
    result_.svd.UT = make_rows<Exec, T>(exec, k, op_.rows());
    Kokkos::deep_copy(exec, result_.svd.UT, left.first(k));
    exec.fence("tessera::svd: U is there");
  }
  /// Replaces dependent vectors by other orthogonal ones.
  template <class Value>
  void orthonormalise(Basis<Exec, T>& left, Value const& value) {
    Exec const& exec = op_.exec();
    Norms<Exec, T> norm(exec);
    for (Index i = 0; i < options_.k; ++i) {
      Values<Exec, T> const u = left.vector(i);
      double length = 0;
      if (value(i) != 0) {
        left.make_orthogonal(i, u);
        length = norm(u);
      }
      if (length > 0.5) {
        scale(exec, static_cast<T>(1 / length), u);
        continue;
      }
      if (length > 0) {  // mostly rounding: again
        scale(exec, static_cast<T>(1 / length), u);
        left.make_orthogonal(i, u);
        length = norm(u);
      }
      if (length > 0.5) {
        scale(exec, static_cast<T>(1 / length), u);
      } else {
        left.add_any(i, static_cast<std::uint64_t>(i) + 1, norm);
      }
    }
  }

  Operator const& op_;
  DirectSvdOptions options_;
  Index n_;
  double rows_;
  LoggedReads<Exec, T> reads_;

  std::vector<double> G_;
  std::vector<double> sums_;  ///< of the columns of (A - 1·shiftᵀ)·diag(units)
  std::vector<double> shift_;
  std::vector<double> lost_;  ///< factor by which a mean enlarges errors of a deviation
  std::vector<int> units_;
  std::vector<double> factors_;
  int exponent_ = 0;
  bool is_finite_ = true;
  Result result_;
};

}  // namespace tessera::solve::detail
