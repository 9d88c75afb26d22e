// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <tessera/backends/compiled.hpp>
#include <tessera/checks.hpp>
#include <tessera/solve/direct_least_squares.hpp>
#include <tessera/solve/lsmr.hpp>

/// Least squares that choose their method: of few columns directly, else by LSMR.
namespace tessera::solve {
namespace detail {

/// The most steps of LSMR where nobody asks for a number: rounding may need more than min(m, n).
template <class Operator>
Index patient_limit(Operator const& op) {
  return std::max(10 * std::min(op.rows(), op.cols()), Index{100});
}

/// Of each row of BT, for each λ: x of the shortest, with penalty λ·‖x - x0‖².
template <class Exec, class T>
std::vector<LeastSquares<Exec, T>> run_penalised(char const* name,
                                                 NormalOperator<Exec, T> const& op,
                                                 ConstRows<Exec, T> const& BT,
                                                 LeastSquaresOptions<Exec, T> const& options,
                                                 Control<T> const& control,
                                                 std::vector<double> const& lambdas) {
  std::vector<double> damps;
  for (double const lambda : lambdas) {
    if (!(lambda >= 0 && std::isfinite(lambda))) {
      checks::fail(name, "lambda must be a number of at least 0, found " + std::to_string(lambda));
    }
    damps.push_back(std::sqrt(lambda));
  }
  if (options.x0.extent(0) != 0) {
    checks::require_extent(name, "x0", options.x0, static_cast<std::size_t>(op.cols()));
  }
  checks::require_extent(name, "b", row<Exec, T const>(BT, 0), static_cast<std::size_t>(op.rows()));
  Index const reads_before = op.reads();
  LeastSquaresOptions<Exec, T> iterative = options;
  Control<T> its_control = control;
  if (auto const* direct = direct_operator(op, options)) {
    std::string const named = "direct " + std::string(name);
    auto results =
        DirectLeastSquares<Exec, T>(named.c_str(), *direct, BT, options.x0, control, lambdas)();
    if (!results.empty()) return results;
    // Squares over- or underflow. A state of the first read helps no other method.
    its_control = {.on_step = control.on_step};
  }
  constexpr auto eps = static_cast<double>(std::numeric_limits<T>::epsilon());
  iterative.atol = options.atol.value_or(eps);
  iterative.btol = options.btol.value_or(eps);
  if (!iterative.maxiter) iterative.maxiter = patient_limit(op);
  std::vector<LeastSquares<Exec, T>> results;
  for (Index j = 0; j < static_cast<Index>(BT.extent(0)); ++j) {
    auto of_one = run_lsmr<Exec, T>(op, row<Exec, T const>(BT, j), iterative, its_control, damps);
    for (auto& result : of_one) results.push_back(std::move(result));
  }
  for (auto& result : results) result.reads = op.reads() - reads_before;
  return results;
}

/// A vector as a matrix of one row.
template <class Exec, class T>
ConstRows<Exec, T> as_row(ConstValues<Exec, T> const& x) {
  return ConstRows<Exec, T>(x.data(), 1, x.extent(0));
}

}  // namespace detail

/// x for each λ that makes ‖A·x - b‖² + λ·‖x - x0‖² small
///
/// | argument | shape | |
/// |---|---|---|
/// | A | m x n | in: a matrix as solvers read it (operator.hpp) |
/// | b | m | in: any stride, in memory of `A.exec()` |
/// | lambdas | | in: numbers of at least 0 |
/// | options | | as for `lsmr`; damp is not used |
/// | control | | callbacks, and a state to resume from |
///
/// A matrix with at most `options.direct` columns is solved directly, if maxiter is not set: A is
/// read once in float, and about three times in double. The columns are scaled to equal norms
/// inside, the penalty stays that of the columns as they are. atol, btol and conlim are not used:
/// the result is as good as the type allows. `is_direct` shows it; conda is then the condition
/// number of the scaled columns.
///
/// Otherwise this is `lsmr` with damp = √λ for each λ, with the bits of it, but A is read no more
/// often than for the λ that takes the most steps. By default atol = btol = ε, and maxiter is
/// max(10·min(m, n), 100). Each λ adds three vectors of n entries. Callbacks are told of the first
/// λ that has not ended.
///
/// The bits of each λ do not depend on the others. A state is one of the same lambdas.
/// @throws std::invalid_argument as `lsmr`, and for a λ that is not a number of at least 0
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// tessera::solve::MatrixOperator const op(Kokkos::DefaultExecutionSpace(), A);
/// Kokkos::View<double*> b("b", 1000);
/// auto const results = tessera::solve::ridge_path(op, b, {0.1, 1.0, 10.0});
/// ```
template <ExecutionSpace Exec, Scalar T, Vector B>
  requires AccessibleFrom<B, Exec> && std::is_same_v<typename B::non_const_value_type, T>
std::vector<LeastSquares<Exec, T>> ridge_path(
    NormalOperator<Exec, T> const& A, B const& b, std::vector<double> const& lambdas,
    std::type_identity_t<LeastSquaresOptions<Exec, T>> const& options = {},
    std::type_identity_t<Control<T>> const& control = {}) {
  auto const side = detail::side_by_side(A.exec(), b);
  return detail::run_penalised<Exec, T>("ridge", A, detail::as_row<Exec, T>(side), options, control,
                                        lambdas);
}

/// x that makes ‖A·x - b‖² + λ·‖x - x0‖² small: as `ridge_path` of one λ.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// tessera::solve::MatrixOperator const op(Kokkos::DefaultExecutionSpace(), A);
/// Kokkos::View<double*> b("b", 1000);
/// auto const result = tessera::solve::ridge(op, b, 0.1);
/// ```
template <ExecutionSpace Exec, Scalar T, Vector B>
  requires AccessibleFrom<B, Exec> && std::is_same_v<typename B::non_const_value_type, T>
LeastSquares<Exec, T> ridge(NormalOperator<Exec, T> const& A, B const& b, double lambda,
                            std::type_identity_t<LeastSquaresOptions<Exec, T>> const& options = {},
                            std::type_identity_t<Control<T>> const& control = {}) {
  auto results = ridge_path(A, b, {lambda}, options, control);
  return std::move(results.front());
}

/// The shortest x that makes ‖A·x - b‖ least, to the precision of the arithmetic
///
/// As `ridge` with λ = 0. Singular values of A with columns of equal norms count as zero if they
/// are at most 2·ε in float, n·ε in double, times the largest. If that leaves a rank below n, x is
/// the shortest solution. `rank` is set if A is solved directly. Otherwise it is `lsmr`, by
/// default with atol = btol = ε and conlim = 0.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// tessera::solve::MatrixOperator const op(Kokkos::DefaultExecutionSpace(), A);
/// Kokkos::View<double*> b("b", 1000);
/// auto const result = tessera::solve::lstsq(op, b);  // result.x, result.rank
/// ```
template <ExecutionSpace Exec, Scalar T, Vector B>
  requires AccessibleFrom<B, Exec> && std::is_same_v<typename B::non_const_value_type, T>
LeastSquares<Exec, T> lstsq(NormalOperator<Exec, T> const& A, B const& b,
                            std::type_identity_t<LeastSquaresOptions<Exec, T>> options = {},
                            std::type_identity_t<Control<T>> const& control = {}) {
  auto const side = detail::side_by_side(A.exec(), b);
  options.conlim = options.conlim.value_or(0);
  auto results = detail::run_penalised<Exec, T>("lstsq", A, detail::as_row<Exec, T>(side), options,
                                                control, {0});
  return std::move(results.front());
}

/// The same of each column of B, which is m x k: k results. A matrix of few columns is read as
/// often as for one.
template <ExecutionSpace Exec, Scalar T, Matrix B>
  requires AccessibleFrom<B, Exec> && std::is_same_v<typename B::non_const_value_type, T>
std::vector<LeastSquares<Exec, T>> lstsq(
    NormalOperator<Exec, T> const& A, B const& b,
    std::type_identity_t<LeastSquaresOptions<Exec, T>> options = {},
    std::type_identity_t<Control<T>> const& control = {}) {
  options.conlim = options.conlim.value_or(0);
  Exec const& exec = A.exec();
  Rows<Exec, T> const BT(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("tessera::lstsq")),
      b.extent(1), b.extent(0));
  static std::string const label("tessera::solve::pack");
  for (std::size_t j = 0; j < b.extent(1); ++j) {
    tessera::detail::contiguous(exec, label, Kokkos::subview(b, Kokkos::ALL, j),
                                BT.data() + j * b.extent(0));
  }
  return detail::run_penalised<Exec, T>("lstsq", A, BT, options, control, {0});
}

}  // namespace tessera::solve

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_SOLVE_PENALISED(TEMPLATE, EXEC, T)                                         \
  namespace tessera::solve::detail {                                                       \
  TEMPLATE std::vector<LeastSquares<EXEC, T>> run_penalised(                               \
      char const*, NormalOperator<EXEC, T> const&, ConstRows<EXEC, T> const&,              \
      LeastSquaresOptions<EXEC, T> const&, Control<T> const&, std::vector<double> const&); \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_SOLVE_PENALISED)
