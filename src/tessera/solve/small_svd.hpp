// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include <tessera/summation.hpp>

/// The singular value decomposition of a matrix of at most a few hundred columns, on the host.
namespace tessera::solve {

using summation::Index;

/// Column-major.
class SmallMatrix {
 public:
  SmallMatrix() = default;
  SmallMatrix(Index rows, Index cols)
      : rows_(rows), cols_(cols), values_(static_cast<std::size_t>(rows * cols)) {}

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index cols() const { return cols_; }
  double& operator()(Index i, Index j) { return column(j)[i]; }
  double operator()(Index i, Index j) const { return column(j)[i]; }
  [[nodiscard]] double* column(Index j) { return values_.data() + j * rows_; }
  [[nodiscard]] double const* column(Index j) const { return values_.data() + j * rows_; }
  [[nodiscard]] std::vector<double> const& values() const { return values_; }

 private:
  Index rows_ = 0;
  Index cols_ = 0;
  std::vector<double> values_;
};

/// A = U·diag(s)·Vᵀ, m x n with m >= n; U is m x n and V n x n, orthonormal; s falls.
struct SmallSvd {
  SmallMatrix U;
  std::vector<double> s;
  SmallMatrix V;
  bool is_converged = false;  ///< false if A is not finite
};

namespace detail {

inline double product_of(Index size, double const* x, double const* y) {
  double sum = 0;
  for (Index i = 0; i < size; ++i) sum = std::fma(x[i], y[i], sum);
  return sum;
}

struct Squares {
  double xx = 0;
  double yy = 0;
  double xy = 0;
};
/// As `product_of`; the three sums do not wait for each other.
inline Squares squares_of(Index size, double const* x, double const* y) {
  Squares sums;
  for (Index i = 0; i < size; ++i) {
    sums.xx = std::fma(x[i], x[i], sums.xx);
    sums.yy = std::fma(y[i], y[i], sums.yy);
    sums.xy = std::fma(x[i], y[i], sums.xy);
  }
  return sums;
}

/// (x, y) = (c·x - s·y, s·x + c·y) with s² + c² = 1. `half` is s/(1 + c): this form preserves
/// lengths best.
inline void rotate(Index size, double* x, double* y, double s, double half) {
  for (Index i = 0; i < size; ++i) {
    double const x_i = x[i];
    double const y_i = y[i];
    x[i] = std::fma(-s, std::fma(half, x_i, y_i), x_i);
    y[i] = std::fma(s, std::fma(-half, y_i, x_i), y_i);
  }
}

/// Column j becomes orthonormal, from the unit vector farthest from the previous columns.
inline void complete(SmallMatrix& U, Index j) {
  Index const m = U.rows();
  Index farthest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < m; ++i) {
    double inside = 0;
    for (Index k = 0; k < j; ++k) inside = std::fma(U(i, k), U(i, k), inside);
    if (inside < least) {
      least = inside;
      farthest = i;
    }
  }
  double* const u = U.column(j);
  std::fill_n(u, m, 0.0);
  u[farthest] = 1;
  for (int pass = 0; pass < 2; ++pass) {
    for (Index k = 0; k < j; ++k) {
      double const along = product_of(m, U.column(k), u);
      for (Index i = 0; i < m; ++i) u[i] = std::fma(-along, U(i, k), u[i]);
    }
  }
  double const norm = std::sqrt(product_of(m, u, u));
  for (Index i = 0; i < m; ++i) u[i] /= norm;
}

/// Rotates until columns are orthogonal, and for `further` more sweeps.
inline bool make_orthogonal(SmallMatrix& A, SmallMatrix& V, int further) {
  constexpr int max_sweeps = 60;
  constexpr double nothing = 0x1p-900;
  Index const m = A.rows();
  Index const n = A.cols();
  double tolerance = static_cast<double>(m) * std::numeric_limits<double>::epsilon();
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    bool rotated = false;
    for (Index i = 0; i < n; ++i) {
      for (Index j = i + 1; j < n; ++j) {
        auto const [xx, yy, xy] = squares_of(m, A.column(i), A.column(j));
        if (!std::isfinite(xx + yy)) return false;
        if (std::min(xx, yy) < nothing) continue;
        if (std::abs(xy) <= tolerance * std::sqrt(xx) * std::sqrt(yy)) continue;
        rotated = true;
        double const zeta = (yy - xx) / (2 * xy);
        double const slope =
            std::abs(zeta) > 0x1p100
                ? 0.5 / zeta
                : (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::sqrt(std::fma(zeta, zeta, 1.0)));
        double const c = 1 / std::sqrt(std::fma(slope, slope, 1.0));
        double const s = c * slope;
        rotate(m, A.column(i), A.column(j), s, s / (1 + c));
        rotate(n, V.column(i), V.column(j), s, s / (1 + c));
      }
    }
    if (!rotated || tolerance == 0) {
      if (further-- == 0) return true;
      tolerance = 0;
    }
  }
  return false;
}

}  // namespace detail

/// A needs at least as many rows as columns. Bits are the same everywhere, as SmallCholesky's. If a
/// value is zero to the precision of the largest, its column of U is any unit vector orthogonal to
/// the others. `further` sweeps improve the orthogonality of U and V from about m·ε to about √m·ε.
///
/// Source: one-sided Jacobi rotations (Hestenes, 1958).
///
/// ```cpp
/// tessera::solve::SmallMatrix A(3, 2);
/// A(0, 0) = 3.0;
/// A(1, 1) = 5.0;
/// auto const result = tessera::solve::small_svd(A);  // result.s is 5, 3
/// ```
inline SmallSvd small_svd(SmallMatrix A, int further = 0) {
  Index const m = A.rows();
  Index const n = A.cols();
  SmallMatrix V(n, n);
  for (Index j = 0; j < n; ++j) V(j, j) = 1;

  // Squares neither overflow nor vanish.
  double largest = 0;
  for (double const x : A.values()) largest = std::max(largest, std::abs(x));
  int power = 0;
  if (largest > 0 && std::isfinite(largest)) std::frexp(largest, &power);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < m; ++i) A(i, j) = std::ldexp(A(i, j), -power);
  }
  SmallSvd result{SmallMatrix(m, n), {}, SmallMatrix(n, n), detail::make_orthogonal(A, V, further)};

  std::vector<double> norms(static_cast<std::size_t>(n));
  for (Index j = 0; j < n; ++j) {
    norms[static_cast<std::size_t>(j)] = std::sqrt(detail::product_of(m, A.column(j), A.column(j)));
  }
  std::vector<Index> order(norms.size());
  std::iota(order.begin(), order.end(), Index{0});
  if (result.is_converged) {
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return norms[static_cast<std::size_t>(a)] > norms[static_cast<std::size_t>(b)];
    });
  }
  double const zero = norms.empty() ? 0
                                    : norms[static_cast<std::size_t>(order[0])] *
                                          std::numeric_limits<double>::epsilon();
  for (Index j = 0; j < n; ++j) {
    Index const from = order[static_cast<std::size_t>(j)];
    double const norm = norms[static_cast<std::size_t>(from)];
    result.s.push_back(std::ldexp(norm, power));
    double const length = std::sqrt(detail::product_of(n, V.column(from), V.column(from)));
    for (Index i = 0; i < n; ++i) result.V(i, j) = V(i, from) / length;
    if (norm <= zero) {
      detail::complete(result.U, j);
    } else {
      for (Index i = 0; i < m; ++i) result.U(i, j) = A(i, from) / norm;
    }
  }
  return result;
}

}  // namespace tessera::solve
