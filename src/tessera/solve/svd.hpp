// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <tessera/backends/compiled.hpp>
#include <tessera/concepts.hpp>
#include <tessera/solve/block_svd.hpp>
#include <tessera/solve/control.hpp>
#include <tessera/solve/direct_svd.hpp>
#include <tessera/solve/operator.hpp>
#include <tessera/solve/triplets.hpp>

namespace tessera::solve {

namespace detail {

/// @param noise as in BlockSvd
template <class Exec, class T>
SvdResult<Exec, T> run_svd(char const* name, NormalOperator<Exec, T> const& op, Index k,
                           SvdOptions const& options, Control<T> const& control, double noise) {
  if (auto const* direct = direct_operator(op, options)) {
    most_vectors(name, op, k);
    return DirectSvd<Exec, T>("direct svd", *direct, {.k = k, .want_u = options.want_u}, control)()
        .svd;
  }
  return BlockSvd<Exec, T>(name, op, k, options, control, noise)();
}

}  // namespace detail

/// The k largest singular values of A and their vectors
///
/// A is m x n, k from 1 to min(m, n). Methods, passes, convergence and accuracy: docs/stopping.md,
/// docs/guide/svd-and-pca.md.
///
/// A direct decomposition takes about 20·n³ operations on the host. Otherwise an iteration reads A
/// once for up to 32 vectors at once. Memory: ncv vectors of m + n entries.
///
/// The largest entry of each v is positive.
/// @throws std::invalid_argument for invalid options and states
///
/// Source: block Krylov spaces (Golub, Luk and Overton, ACM TOMS 7, 1981); thick restarts (Wu and
/// Simon, SIAM J. Matrix Anal. Appl. 22, 2000); shifted CholeskyQR (Fukaya and others, SIAM J. Sci.
/// Comput. 42, 2020).
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// tessera::solve::MatrixOperator const op(Kokkos::DefaultExecutionSpace(), A);
/// auto const result = tessera::solve::svd(op, 5, {.want_u = true});  // s, VT and UT
/// ```
template <ExecutionSpace Exec, Scalar T>
SvdResult<Exec, T> svd(NormalOperator<Exec, T> const& op, Index k, SvdOptions const& options = {},
                       std::type_identity_t<Control<T>> const& control = {}) {
  return detail::run_svd<Exec, T>("svd", op, k, options, control, 0);
}

}  // namespace tessera::solve

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_SOLVE_SVD(TEMPLATE, EXEC, T)                                              \
  namespace tessera::solve::detail {                                                      \
  TEMPLATE SvdResult<EXEC, T> run_svd(char const*, NormalOperator<EXEC, T> const&, Index, \
                                      SvdOptions const&, Control<T> const&, double);      \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_SOLVE_SVD)
