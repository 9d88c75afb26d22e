// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <tessera/solve/small_svd.hpp>

/// Eigenvalues of symmetric matrices of at most a few hundred rows, on the host.
namespace tessera::solve {

/// A = V·diag(values)·Vᵀ, orthonormal V, falling values.
struct SmallEigen {
  std::vector<double> values;
  SmallMatrix V;
  bool is_converged = false;  ///< false if A is not finite
};

namespace detail {

inline void add_multiple(Index size, double a, double const* x, double* y) {
  for (Index i = 0; i < size; ++i) y[i] = std::fma(a, x[i], y[i]);
}

struct Tridiagonal {
  std::vector<double> diagonal;
  std::vector<double> below;
};

/// A = Q·T·Qᵀ. A becomes Q.
inline Tridiagonal to_tridiagonal(SmallMatrix& A) {
  Index const n = A.rows();
  auto const size = static_cast<std::size_t>(n);
  Tridiagonal T{std::vector<double>(size), std::vector<double>(size)};
  SmallMatrix Q(n, n);
  std::vector<double> factors(size);
  std::vector<double> w(size);
  // Smaller squares are subnormal, and the factor overflows. The largest element of A is near 1.
  constexpr double nothing = 0x1p-900;
  // Column j of A stores the reflection that zeroes it below its second element.
  for (Index j = 0; j + 1 < n; ++j) {
    double* const v = A.column(j) + j + 1;
    Index const rest = n - j - 1;
    T.diagonal[static_cast<std::size_t>(j)] = A(j, j);
    double const sum = product_of(rest, v, v);
    if (sum < nothing) continue;
    double const norm = std::sqrt(sum);
    double const first = v[0];
    T.below[static_cast<std::size_t>(j)] = first > 0 ? -norm : norm;
    v[0] = first - T.below[static_cast<std::size_t>(j)];
    double const factor = 2 / product_of(rest, v, v);
    factors[static_cast<std::size_t>(j)] = factor;
    // With p = factor·A·v and w = p - (factor/2)·(pᵀv)·v, A becomes A - v·wᵀ - w·vᵀ.
    std::fill_n(w.begin(), rest, 0.0);
    for (Index i = 0; i < rest; ++i) {
      add_multiple(rest, factor * v[i], A.column(j + 1 + i) + j + 1, w.data());
    }
    add_multiple(rest, -0.5 * factor * product_of(rest, w.data(), v), v, w.data());
    for (Index i = 0; i < rest; ++i) {
      double* const column = A.column(j + 1 + i) + j + 1;
      double const v_i = v[i];
      double const w_i = w[static_cast<std::size_t>(i)];
      for (Index l = 0; l < rest; ++l) {
        column[l] = std::fma(-v_i, w[static_cast<std::size_t>(l)], std::fma(-w_i, v[l], column[l]));
      }
    }
  }
  T.diagonal[size - 1] = A(n - 1, n - 1);
  for (Index j = 0; j < n; ++j) Q(j, j) = 1;
  for (Index j = n - 2; j >= 0; --j) {
    double const factor = factors[static_cast<std::size_t>(j)];
    if (factor == 0) continue;
    Index const rest = n - j - 1;
    double const* const v = A.column(j) + j + 1;
    for (Index i = j + 1; i < n; ++i) {
      double* const column = Q.column(i) + j + 1;
      add_multiple(rest, -factor * product_of(rest, v, column), v, column);
    }
  }
  A = std::move(Q);
  return T;
}

inline void turn(Index size, double c, double s, double* x, double* y) {
  for (Index i = 0; i < size; ++i) {
    double const x_i = x[i];
    x[i] = std::fma(c, x_i, -s * y[i]);
    y[i] = std::fma(s, x_i, c * y[i]);
  }
}

/// A QL step from row `last` to row `first`, with the shift of the 2 x 2 matrix at `first`.
inline void chase(Tridiagonal& T, SmallMatrix& V, std::size_t first, std::size_t last) {
  auto& d = T.diagonal;
  auto& e = T.below;
  double const half = (d[first + 1] - d[first]) / (2 * e[first]);
  double const root = std::sqrt(std::fma(half, half, 1.0));
  double const shift = d[first] - e[first] / (half + (half < 0 ? -root : root));
  double x = d[last] - shift;
  double s = 1;
  double c = 1;
  double moved = 0;  // what the row above still loses
  for (std::size_t i = last; i-- > first;) {
    double const bulge = s * e[i];
    double const b = c * e[i];
    double const r = std::sqrt(std::fma(bulge, bulge, x * x));
    e[i + 1] = r;
    if (r == 0) {
      d[i + 1] -= moved;
      e[last] = 0;
      return;
    }
    s = bulge / r;
    c = x / r;
    double const g = d[i + 1] - moved;
    double const t = std::fma(d[i] - g, s, 2 * c * b);
    moved = s * t;
    d[i + 1] = g + moved;
    x = std::fma(c, t, -b);
    turn(V.rows(), c, s, V.column(static_cast<Index>(i)), V.column(static_cast<Index>(i) + 1));
  }
  d[first] -= moved;
  e[first] = x;
  e[last] = 0;
}

inline bool make_diagonal(Tridiagonal& T, SmallMatrix& V) {
  auto& d = T.diagonal;
  auto& e = T.below;
  std::size_t const n = d.size();
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max({largest, std::abs(d[i]), std::abs(e[i])});
  if (!std::isfinite(largest)) return false;
  double const nothing = std::numeric_limits<double>::epsilon() * largest;
  constexpr int most = 60;
  for (std::size_t first = 0; first < n; ++first) {
    for (int pass = 0;; ++pass) {
      std::size_t last = first;
      while (last + 1 < n && std::abs(e[last]) > nothing) ++last;
      if (last == first) break;
      if (pass == most) return false;
      chase(T, V, first, last);
    }
  }
  return true;
}

}  // namespace detail

/// Precise relative to the largest eigenvalue. The same bits everywhere, as SmallCholesky.
///
/// Source: reflections (Householder, 1958), and the implicit QL method with Wilkinson's shift
/// (Bowdler, Martin, Reinsch and Wilkinson, 1968).
inline SmallEigen small_eigen(SmallMatrix A) {
  Index const n = A.rows();
  SmallEigen result;
  if (n == 0) return {{}, SmallMatrix(), true};
  // Squares neither overflow nor vanish.
  double largest = 0;
  bool is_finite = true;
  for (double const x : A.values()) {
    largest = std::max(largest, std::abs(x));
    is_finite = is_finite && std::isfinite(x);
  }
  if (!is_finite) return result;
  int power = 0;
  if (largest > 0) std::frexp(largest, &power);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) A(i, j) = std::ldexp(A(i, j), -power);
  }
  detail::Tridiagonal T = detail::to_tridiagonal(A);
  result.is_converged = detail::make_diagonal(T, A);
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return T.diagonal[static_cast<std::size_t>(a)] > T.diagonal[static_cast<std::size_t>(b)];
  });
  result.V = SmallMatrix(n, n);
  for (Index j = 0; j < n; ++j) {
    Index const from = order[static_cast<std::size_t>(j)];
    result.values.push_back(std::ldexp(T.diagonal[static_cast<std::size_t>(from)], power));
    std::copy_n(A.column(from), n, result.V.column(j));
  }
  return result;
}

}  // namespace tessera::solve
