// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include <tessera/solve/small_svd.hpp>
#include <tessera/summation.hpp>

/// Cholesky factorisation of at most a few hundred columns, on the host.
namespace tessera::solve {

/// H = S⁻¹·Pᵀ·(L·Lᵀ)·P·S⁻¹ of a positive semidefinite H. S: powers of two that bring H's diagonal
/// near 1. P sorts the rows by falling pivots. Rows whose pivot is below `threshold` times their
/// diagonal depend on the rows before them, and are left out. Only +, -, ·, /, fma and sqrt in a
/// fixed order: the same bits everywhere.
///
/// Source: Higham, Analysis of the Cholesky decomposition of a semi-definite matrix, 1990.
class SmallCholesky {
  template <class Vector>
  static auto& at(Vector& x, Index i) {
    return x[static_cast<std::size_t>(i)];
  }

 public:
  SmallCholesky() = default;
  SmallCholesky(SmallMatrix const& H, double threshold) : L_(H.rows(), H.rows()) {
    Index const n = H.rows();
    order_.resize(static_cast<std::size_t>(n));
    std::iota(order_.begin(), order_.end(), Index{0});
    for (Index i = 0; i < n; ++i) scale_.push_back(scale_of(H(i, i)));
    work_ = SmallMatrix(n, n);
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < n; ++i) work_(i, j) = at(scale_, i) * at(scale_, j) * H(i, j);
    }
    factor(threshold);
    work_ = SmallMatrix();
  }

  [[nodiscard]] Index size() const { return static_cast<Index>(order_.size()); }
  [[nodiscard]] Index rank() const { return rank_; }
  /// The first `rank` are not left out.
  [[nodiscard]] std::vector<Index> const& order() const { return order_; }

  /// L⁻¹·P·S·b: `rank` entries.
  [[nodiscard]] std::vector<double> forward(std::vector<double> const& b) const {
    std::vector<double> y(static_cast<std::size_t>(rank_));
    for (Index i = 0; i < rank_; ++i) at(y, i) = at(scale_, at(order_, i)) * at(b, at(order_, i));
    for (Index j = 0; j < rank_; ++j) {
      at(y, j) /= L_(j, j);
      for (Index i = j + 1; i < rank_; ++i) at(y, i) = std::fma(-L_(i, j), at(y, j), at(y, i));
    }
    return y;
  }
  /// x = 0 in rows that are left out.
  [[nodiscard]] std::vector<double> solve(std::vector<double> const& b) const {
    return backward(forward(b));
  }
  /// S·Pᵀ·L⁻ᵀ·y
  [[nodiscard]] std::vector<double> backward(std::vector<double> y) const {
    for (Index j = rank_ - 1; j >= 0; --j) {
      double sum = at(y, j);
      for (Index i = j + 1; i < rank_; ++i) sum = std::fma(-L_(i, j), at(y, i), sum);
      at(y, j) = sum / L_(j, j);
    }
    std::vector<double> x(order_.size());
    for (Index i = 0; i < rank_; ++i) at(x, at(order_, i)) = at(scale_, at(order_, i)) * at(y, i);
    return x;
  }
  [[nodiscard]] std::vector<double> inverse_diagonal() const {
    std::vector<double> diagonal(order_.size());
    // Sums of squares of columns of L⁻¹.
    std::vector<double> column(static_cast<std::size_t>(rank_));
    for (Index j = 0; j < rank_; ++j) {
      double sum = 0;
      for (Index i = j; i < rank_; ++i) at(column, i) = i == j ? 1.0 : 0.0;
      for (Index k = j; k < rank_; ++k) {
        at(column, k) /= L_(k, k);
        for (Index i = k + 1; i < rank_; ++i) {
          at(column, i) = std::fma(-L_(i, k), at(column, k), at(column, i));
        }
        sum = std::fma(at(column, k), at(column, k), sum);
      }
      double const scale = at(scale_, at(order_, j));
      at(diagonal, at(order_, j)) = scale * scale * sum;
    }
    return diagonal;
  }
  /// One column for each row that is left out.
  [[nodiscard]] SmallMatrix null_space() const {
    Index const n = size();
    SmallMatrix Z(n, n - rank_);
    std::vector<double> y(static_cast<std::size_t>(rank_));
    for (Index k = rank_; k < n; ++k) {
      for (Index j = 0; j < rank_; ++j) at(y, j) = L_(k, j);
      auto const combination = backward(y);
      double const scale = at(scale_, at(order_, k));
      for (Index i = 0; i < n; ++i) Z(i, k - rank_) = -combination[static_cast<std::size_t>(i)];
      Z(at(order_, k), k - rank_) = scale;
    }
    return Z;
  }

 private:
  /// Near 1/√d; 1 if d is not positive.
  static double scale_of(double d) {
    return d > 0 && std::isfinite(d) ? std::scalbn(1.0, -std::ilogb(std::sqrt(d))) : 1.0;
  }

  void factor(double threshold) {
    Index const n = size();
    std::vector<double> first(static_cast<std::size_t>(n));
    std::vector<double> rest(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) at(first, i) = at(rest, i) = work_(i, i);
    for (rank_ = 0; rank_ < n; ++rank_) {
      Index best = -1;
      for (Index i = rank_; i < n; ++i) {
        Index const row = at(order_, i);
        bool const counts = at(rest, row) > threshold * at(first, row) && at(rest, row) > 0;
        if (counts && (best < 0 || at(rest, row) > at(rest, at(order_, best)))) best = i;
      }
      if (best < 0) break;
      swap_rows(rank_, best);
      make_column(rank_, rest);
    }
  }
  void swap_rows(Index a, Index b) {
    if (a == b) return;
    std::swap(at(order_, a), at(order_, b));
    for (Index j = 0; j < a; ++j) std::swap(L_(a, j), L_(b, j));
  }
  void make_column(Index j, std::vector<double>& rest) {
    Index const n = size();
    Index const pivot = at(order_, j);
    double const root = std::sqrt(at(rest, pivot));
    double* const column = L_.column(j);
    for (Index i = j; i < n; ++i) column[i] = work_(at(order_, i), pivot);
    for (Index k = 0; k < j; ++k) {
      double const* const before = L_.column(k);
      double const factor = before[j];
      for (Index i = j; i < n; ++i) column[i] = std::fma(-factor, before[i], column[i]);
    }
    column[j] = root;
    for (Index i = j + 1; i < n; ++i) {
      column[i] /= root;
      double& left = at(rest, at(order_, i));
      left = std::fma(-column[i], column[i], left);
    }
  }

  SmallMatrix L_;
  SmallMatrix work_;
  std::vector<double> scale_;
  std::vector<Index> order_;
  Index rank_ = 0;
};

}  // namespace tessera::solve
