// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/atax.hpp>
#include <tessera/backends/compiled.hpp>
#include <tessera/maps.hpp>

namespace tessera {
namespace detail {

/// The fused kernel of rows, with u in place of the dot products.
template <class Set, class Exec, class T>
void run_both(Exec const& exec, Lines<T> const& lines, VectorArgument<T const> const& x,
              VectorArgument<T const> const& u, OutputVector<T> dots, OutputVector<T> sums,
              Options<Exec> const& options) {
  static AtaxLabels const labels("tessera::multiply_both");
  auto const tuning = [&]<class Kernels>(Kernels) {
    return tuning_for<T, true, Kernels>(exec, lines.count, lines.length, options.tuning);
  };
  if (!is_fused<Exec, true, Set>(Method::automatic, tuning(Set{}), lines)) {
    run_dot<Set>(exec, labels.multiply, lines, x, dots, options, tuning(Set{}));
    run_sum<Set>(exec, labels.multiply_transposed, lines, u, sums, options, tuning(Set{}));
    return;
  }
  with_fused_kernels<Set, true>(exec, lines, tuning(Set{}), [&]<class Fused>(Fused) {
    launch_fused<true, Fused>(
        exec, labels, lines, x, dots, sums, options.workspace, tuning(Fused{}),
        maps::Function<T>{maps::Kind::replace, u.data(), static_cast<Index>(u.stride(0))});
  });
}

template <class Exec, class T>
void call_multiply_both(Exec const& exec, MatrixArgument<T const> const& a,
                        VectorArgument<T const> const& x, VectorArgument<T const> const& u,
                        VectorArgument<T> const& y, VectorArgument<T> const& w,
                        Options<Exec> const& options) {
  constexpr auto operation = "multiply_both";
  checks::require_matrix(operation, a);
  checks::require_input(operation, "x", x, a.extent(1));
  checks::require_input(operation, "u", u, a.extent(0));
  auto const require_output = [&](char const* name, VectorArgument<T> const& out,
                                  std::size_t size) {
    checks::require_output(operation, name, out, size);
    checks::require_apart(operation, name, out, "A", a);
    checks::require_apart(operation, name, out, "x", x);
    checks::require_apart(operation, name, out, "u", u);
  };
  require_output("y", y, a.extent(0));
  require_output("w", w, a.extent(1));
  checks::require_apart(operation, "w", w, "y", y);

  auto const region = region_of(operation, a);
  if (a.extent(0) == 0 || a.extent(1) == 0) {
    static std::string const label("tessera::multiply_both::zero");
    set_zero<T>(exec, label, static_cast<Index>(y.extent(0)), output(y));
    set_zero<T>(exec, label, static_cast<Index>(w.extent(0)), output(w));
    return;
  }
  with_lines(operation, "A", a, [&](auto by_rows, Lines<T> const& lines) {
    with_kernels<Exec>(options.kernels, [&]<class Set>(Set) {
      if constexpr (by_rows()) {
        run_both<Set>(exec, lines, x, u, output(y), output(w), options);
      } else {
        run_both<Set>(exec, lines, u, x, output(w), output(y), options);
      }
    });
  });
}

}  // namespace detail

/// y = A·x and w = Aᵀ·u in one read of A
///
/// | argument | shape | |
/// |---|---|---|
/// | A | m x n | in: as `atax` |
/// | x | n | in: any stride |
/// | u | m | in: any stride |
/// | y | m | out: any stride but 0, overwritten |
/// | w | n | out: any stride but 0, overwritten |
///
/// Work and traffic: 4mn flop; (mn + 2m + 2n)·sizeof(T) bytes. Reads A twice if it is too small or
/// too wide for a faster single pass. A tuning belongs to A's lines as rows.
///
/// Guarantees and errors as `atax`, with the bits of the single products.
///
/// Source: GEMVT of the updated BLAS (L. S. Blackford et al., 2002) without its scalars.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// Kokkos::View<double*> x("x", 30), u("u", 1000), y("y", 1000), w("w", 30);
/// tessera::multiply_both(Kokkos::DefaultExecutionSpace(), A, x, u, y, w);
/// ```
template <ExecutionSpace Exec, MatrixOf<Exec> A, VectorOf<Exec, A> X, VectorOf<Exec, A> U,
          OutputVectorOf<Exec, A> Y, OutputVectorOf<Exec, A> W>
void multiply_both(Exec const& exec, A const& a, X const& x, U const& u, Y const& y, W const& w,
                   std::type_identity_t<Options<Exec>> const& options = {}) {
  detail::call_multiply_both(exec, detail::matrix_in(a), detail::vector_in(x), detail::vector_in(u),
                             detail::vector_out(y), detail::vector_out(w), options);
}

template <ExecutionSpace Exec, ForeignScalars A, class... Arguments>
refused::TesseraComputesWithFloatAndDoubleOnly multiply_both(Exec const&, A const&,
                                                             Arguments const&...) = delete;

}  // namespace tessera

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_MULTIPLY_BOTH(TEMPLATE, EXEC, T)                                                   \
  namespace tessera::detail {                                                                      \
  TEMPLATE void call_multiply_both(EXEC const&, MatrixArgument<T const> const&,                    \
                                   VectorArgument<T const> const&, VectorArgument<T const> const&, \
                                   VectorArgument<T> const&, VectorArgument<T> const&,             \
                                   Options<EXEC> const&);                                          \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_MULTIPLY_BOTH)
