// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/compiled.hpp>
#include <tessera/solve/least_squares.hpp>

namespace tessera::solve {
namespace detail {

/// Fong and Saunders' recurrences: MINRES on the normal equations.
struct Lsmr {
  static constexpr char const* name = "lsmr";
  static constexpr std::size_t vectors = 2;  ///< h and h̄
  static constexpr bool measures_x = true;
  static Index default_limit(Index rows, Index cols) { return std::min(rows, cols); }

  struct Numbers {
    Estimates now;
    double zetabar = 0;
    double alphabar = 0;
    double rho = 1;
    double rhobar = 1;
    double cbar = 1;
    double sbar = 0;
    double zeta = 0;
    double betadd = 1;
    double betad = 0;
    double rhodold = 1;
    double tautildeold = 0;
    double thetatilde = 0;
    double d = 0;
    double norma_squared = 0;
    double largest = 0;
    double smallest = 1e100;
    double is_first = 1;
  };

  static Numbers begin(double alpha) {
    Numbers numbers;
    numbers.now = {.normr = 1, .normar = alpha, .norma = alpha, .conda = 1, .normx = 0};
    numbers.zetabar = alpha;
    numbers.alphabar = alpha;
    numbers.norma_squared = alpha * alpha;
    return numbers;
  }

  template <class T>
  struct Update {
    T of_hbar;
    T of_x;
    T of_h;
    template <class Vectors>
    KOKKOS_FUNCTION void operator()(Index i, T w, T* x, Vectors const& own) const {
      T* const h = own[0];
      T* const hbar = own[1];
      hbar[i] = Kokkos::fma(-of_hbar, hbar[i], h[i]);
      x[i] = Kokkos::fma(of_x, hbar[i], x[i]);
      h[i] = Kokkos::fma(-of_h, h[i], w);
    }
  };
  struct Factors {
    double of_hbar;
    double of_x;
    double of_h;
    template <class T>
    [[nodiscard]] Update<T> as(double norm_of_start) const {
      return {static_cast<T>(of_hbar), static_cast<T>(norm_of_start * of_x), static_cast<T>(of_h)};
    }
  };

  static Factors advance(Numbers& s, double beta, double alpha, double damp) {
    Rotation const hat = Rotation::of(s.alphabar, damp);
    double const rhoold = s.rho;
    Rotation const q = Rotation::of(hat.r, beta);
    s.rho = q.r;
    double const thetanew = q.s * alpha;
    s.alphabar = q.c * alpha;

    double const rhobarold = s.rhobar;
    double const zetaold = s.zeta;
    double const thetabar = s.sbar * s.rho;
    double const rhotemp = s.cbar * s.rho;
    Rotation const bar = Rotation::of(rhotemp, thetanew);
    s.cbar = bar.c;
    s.sbar = bar.s;
    s.rhobar = bar.r;
    s.zeta = s.cbar * s.zetabar;
    s.zetabar = -s.sbar * s.zetabar;

    double const betaacute = hat.c * s.betadd;
    double const betacheck = -hat.s * s.betadd;
    double const betahat = q.c * betaacute;
    s.betadd = -q.s * betaacute;
    double const thetatildeold = s.thetatilde;
    Rotation const tilde = Rotation::of(s.rhodold, thetabar);
    s.thetatilde = tilde.s * s.rhobar;
    s.rhodold = tilde.c * s.rhobar;
    s.betad = -tilde.s * s.betad + tilde.c * betahat;
    s.tautildeold = (zetaold - thetatildeold * s.tautildeold) / tilde.r;
    double const taud = (s.zeta - s.thetatilde * s.tautildeold) / s.rhodold;
    s.d = s.d + betacheck * betacheck;
    double const difference = s.betad - taud;
    s.now.normr = std::sqrt(s.d + difference * difference + s.betadd * s.betadd);

    s.norma_squared = s.norma_squared + beta * beta;
    s.now.norma = std::sqrt(s.norma_squared);
    s.norma_squared = s.norma_squared + alpha * alpha;
    s.largest = std::max(s.largest, rhobarold);
    if (s.is_first == 0) s.smallest = std::min(s.smallest, rhobarold);
    s.is_first = 0;
    s.now.conda = std::max(s.largest, rhotemp) / std::min(s.smallest, rhotemp);
    s.now.normar = std::fabs(s.zetabar);

    return {thetabar * s.rho / (rhoold * rhobarold), s.zeta / (s.rho * s.rhobar), thetanew / s.rho};
  }

  static void finish(Numbers& s, double norm) { s.now.normx = norm; }
};

template <class Exec, class T>
std::vector<LeastSquares<Exec, T>> run_lsmr(std::vector<Problem<Exec, T>> const& problems,
                                            LeastSquaresOptions<Exec, T> const& options,
                                            Control<T> const& control) {
  return run_least_squares<Lsmr>(problems, options, control);
}

}  // namespace detail

/// Minimises ‖A·x - b‖² + damp²·‖x - x0‖² by LSMR
///
/// A is m x n (operator.hpp), b has m entries of any stride in memory of `A.exec()`. Default
/// maxiter min(m, n). Tests, accuracy and passes: docs/stopping.md, docs/guide/least-squares.md.
///
/// Traffic: iterations + 1 reads of A, one more with x0; 2m + 9n entries per iteration. Fences once
/// per iteration. ‖Aᵀ·r‖ decreases.
/// @throws std::invalid_argument for wrong sizes, a negative option, and a state of another problem
///
/// Source: Fong and Saunders, SIAM J. Sci. Comput. 33 (2011).
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// tessera::solve::MatrixOperator const op(Kokkos::DefaultExecutionSpace(), A);
/// Kokkos::View<double*> b("b", 1000);
/// auto const result = tessera::solve::lsmr(op, b, {.atol = 1e-10, .btol = 1e-10});
/// if (!tessera::solve::is_success(result.stop)) std::printf("not solved\n");
/// ```
template <ExecutionSpace Exec, Scalar T, Vector B>
  requires AccessibleFrom<B, Exec> && std::is_same_v<typename B::non_const_value_type, T>
LeastSquares<Exec, T> lsmr(NormalOperator<Exec, T> const& A, B const& b,
                           std::type_identity_t<LeastSquaresOptions<Exec, T>> const& options = {},
                           std::type_identity_t<Control<T>> const& control = {}) {
  auto const problems =
      detail::problems_of<Exec, T>(A, {detail::side_by_side(A.exec(), b)}, options);
  auto results = detail::run_lsmr<Exec, T>(problems, options, control);
  return std::move(results.front());
}

/// For each column of B, m x k, with the bits of single calls. `reads` counts the reads of A, which
/// all share. Memory: about 3m + 10n entries per column.
template <ExecutionSpace Exec, Scalar T, Matrix B>
  requires AccessibleFrom<B, Exec> && std::is_same_v<typename B::non_const_value_type, T>
std::vector<LeastSquares<Exec, T>> lsmr(
    NormalOperator<Exec, T> const& A, B const& b,
    std::type_identity_t<LeastSquaresOptions<Exec, T>> const& options = {}) {
  if (b.extent(1) == 0) return {};
  auto const problems = detail::problems_of<Exec, T>(A, detail::columns_of(A.exec(), b), options);
  return detail::run_lsmr<Exec, T>(problems, options, {});
}

}  // namespace tessera::solve

#define TESSERA_SOLVE_LSMR(TEMPLATE, EXEC, T) \
  TESSERA_SOLVE_LEAST_SQUARES(run_lsmr, TEMPLATE, EXEC, T)
TESSERA_COMPILED(TESSERA_SOLVE_LSMR)
