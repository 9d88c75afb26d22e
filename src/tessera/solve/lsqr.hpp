// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// Paige and Saunders' recurrences: conjugate gradients on the normal equations.
struct Lsqr {
  static constexpr char const* name = "lsqr";
  static constexpr std::size_t vectors = 1;  ///< d
  static constexpr bool measures_x = false;
  static Index default_limit(Index /*rows*/, Index cols) { return 2 * cols; }

  struct Numbers {
    Estimates now;
    double rhobar = 0;
    double phibar = 1;
    double rho = 1;
    double alpha = 0;
    double norm_of_d = 1;
    double sum_of_d = 0;  ///< Σ ‖d/ρ‖²
    double damped = 0;    ///< Σ ψ²
    double cs2 = -1;
    double sn2 = 0;
    double z = 0;
    double normx_squared = 0;
  };

  static Numbers begin(double alpha) {
    Numbers numbers;
    numbers.now = {.normr = 1, .normar = alpha, .norma = 0, .conda = 0, .normx = 0};
    numbers.rhobar = alpha;
    numbers.alpha = alpha;
    return numbers;
  }

  template <class T>
  struct Update {
    T of_x;
    T of_d;
    template <class Vectors>
    KOKKOS_FUNCTION void operator()(Index i, T w, T* x, Vectors const& own) const {
      T* const d = own[0];
      x[i] = Kokkos::fma(of_x, d[i], x[i]);
      d[i] = Kokkos::fma(of_d, d[i], w);
    }
  };
  struct Factors {
    double of_x;
    double of_d;
    template <class T>
    [[nodiscard]] Update<T> as(double norm_of_start) const {
      return {static_cast<T>(norm_of_start * of_x), static_cast<T>(of_d)};
    }
  };

  static Factors advance(Numbers& s, double beta, double alpha, double damp) {
    s.now.norma =
        std::sqrt(s.now.norma * s.now.norma + s.alpha * s.alpha + beta * beta + damp * damp);
    s.alpha = alpha;
    Rotation const hat = Rotation::of(s.rhobar, damp);
    double const psi = hat.s * s.phibar;
    s.phibar = hat.c * s.phibar;

    Rotation const q = Rotation::of(hat.r, beta);
    s.rho = q.r;
    double const theta = q.s * alpha;
    s.rhobar = -q.c * alpha;
    double const phi = q.c * s.phibar;
    s.phibar = q.s * s.phibar;
    double const tau = q.s * phi;

    double const d = s.norm_of_d / s.rho;
    s.sum_of_d = s.sum_of_d + d * d;
    s.now.conda = s.now.norma * std::sqrt(s.sum_of_d);

    double const delta = s.sn2 * s.rho;
    double const gambar = -s.cs2 * s.rho;
    double const rhs = phi - delta * s.z;
    double const zbar = rhs / gambar;
    s.now.normx = std::sqrt(s.normx_squared + zbar * zbar);
    double const gamma = std::sqrt(gambar * gambar + theta * theta);
    s.cs2 = gambar / gamma;
    s.sn2 = theta / gamma;
    s.z = rhs / gamma;
    s.normx_squared = s.normx_squared + s.z * s.z;

    s.damped = s.damped + psi * psi;
    s.now.normr = std::sqrt(s.phibar * s.phibar + s.damped);
    s.now.normar = alpha * std::fabs(tau);
    return {phi / s.rho, -theta / s.rho};
  }

  static void finish(Numbers& s, double norm) { s.norm_of_d = norm; }
};

template <class Exec, class T>
std::vector<LeastSquares<Exec, T>> run_lsqr(std::vector<Problem<Exec, T>> const& problems,
                                            LeastSquaresOptions<Exec, T> const& options,
                                            Control<T> const& control) {
  return run_least_squares<Lsqr>(problems, options, control);
}

}  // namespace detail

/// Minimises ‖A·x - b‖² + damp²·‖x - x0‖² by LSQR
///
/// As `lsmr`; default maxiter 2n; ‖r‖ decreases.
///
/// Source: Paige and Saunders, ACM Trans. Math. Softw. 8 (1982).
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// tessera::solve::MatrixOperator const op(Kokkos::DefaultExecutionSpace(), A);
/// Kokkos::View<double*> b("b", 1000);
/// auto const result = tessera::solve::lsqr(op, b, {.atol = 1e-10, .btol = 1e-10});
/// ```
template <ExecutionSpace Exec, Scalar T, Vector B>
  requires AccessibleFrom<B, Exec> && std::is_same_v<typename B::non_const_value_type, T>
LeastSquares<Exec, T> lsqr(NormalOperator<Exec, T> const& A, B const& b,
                           std::type_identity_t<LeastSquaresOptions<Exec, T>> const& options = {},
                           std::type_identity_t<Control<T>> const& control = {}) {
  auto const problems =
      detail::problems_of<Exec, T>(A, {detail::side_by_side(A.exec(), b)}, options);
  auto results = detail::run_lsqr<Exec, T>(problems, options, control);
  return std::move(results.front());
}

/// For each column of B, as `lsmr`.
template <ExecutionSpace Exec, Scalar T, Matrix B>
  requires AccessibleFrom<B, Exec> && std::is_same_v<typename B::non_const_value_type, T>
std::vector<LeastSquares<Exec, T>> lsqr(
    NormalOperator<Exec, T> const& A, B const& b,
    std::type_identity_t<LeastSquaresOptions<Exec, T>> const& options = {}) {
  if (b.extent(1) == 0) return {};
  auto const problems = detail::problems_of<Exec, T>(A, detail::columns_of(A.exec(), b), options);
  return detail::run_lsqr<Exec, T>(problems, options, {});
}

}  // namespace tessera::solve

#define TESSERA_SOLVE_LSQR(TEMPLATE, EXEC, T) \
  TESSERA_SOLVE_LEAST_SQUARES(run_lsqr, TEMPLATE, EXEC, T)
TESSERA_COMPILED(TESSERA_SOLVE_LSQR)
