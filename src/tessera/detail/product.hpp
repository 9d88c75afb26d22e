// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <Kokkos_Core.hpp>

#include <tessera/backends/compiled.hpp>
#include <tessera/checks.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/detail/kernels.hpp>
#include <tessera/detail/packing.hpp>
#include <tessera/kernels/label.hpp>
#include <tessera/options.hpp>

/// Common code of `multiply` and `multiply_transposed`.
namespace tessera::detail {

struct VectorProduct {
  char const* operation;
  char const* in;
  char const* out;
  bool is_transposed;
};
inline constexpr VectorProduct plain_product{"multiply", "v", "B", false};
inline constexpr VectorProduct transposed_product{"multiply_transposed", "B", "C", true};

/// y = A·x or Aᵀ·x: dot products of the lines, or the sum over lines times entries of x.
template <class Exec, class T, ReadAs<T> A>
void call_product(Exec const& exec, VectorProduct const& product, A const& a,
                  VectorArgument<T const> const& x, VectorArgument<T> const& y,
                  Options<Exec> const& options) {
  auto const& [operation, in, out, is_transposed] = product;
  checks::require_matrix(operation, a);
  checks::require_input(operation, in, x, a.extent(is_transposed ? 0 : 1));
  checks::require_output(operation, out, y, a.extent(is_transposed ? 1 : 0));
  checks::require_apart(operation, out, y, "A", a);
  checks::require_apart(operation, out, y, in, x);

  static Label const labels[]{Label("tessera::multiply"), Label("tessera::multiply_transposed")};
  Label const& label = labels[is_transposed ? 1 : 0];
  auto const region = region_of(operation, a);
  auto const rows = static_cast<Index>(a.extent(0));
  auto const cols = static_cast<Index>(a.extent(1));
  if (rows == 0 || cols == 0) {
    return set_zero<T>(exec, label.zero, static_cast<Index>(y.extent(0)), output(y));
  }
  with_lines(operation, "A", a, [&](auto by_rows, auto const& lines) {
    with_kernels_for<Exec, T, OneColumn>(operation, lines, options.kernels, [&]<class Set>(Set) {
      Tuning const tuning = tuning_for<T, by_rows(), Set>(exec, rows, cols, options.tuning);
      if (product.is_transposed != by_rows()) {
        run_dot<Set>(exec, label, lines, x, output(y), options, tuning);
      } else {
        run_sum<Set>(exec, label, lines, x, output(y), options, tuning);
      }
    });
  });
}

template <class Exec, class T, ReadAs<T> A>
void call_product(Exec const& exec, VectorProduct const& product, A const& a,
                  MatrixArgument<T const> const& x, MatrixArgument<T> const& y,
                  Options<Exec> const& options) {
  auto const& [operation, in, out, is_transposed] = product;
  require_blocks(operation, a, in, x, a.extent(is_transposed ? 0 : 1), out, y,
                 a.extent(is_transposed ? 1 : 0));
  auto const of_column = [&](std::size_t j) {
    call_product<Exec, T>(exec, product, a, column(x, j), column(y, j), options);
  };
  if (a.extent(0) == 0 || a.extent(1) == 0) {
    for (std::size_t j = 0; j < x.extent(1); ++j) of_column(j);
    return;
  }
  static Label const labels[]{Label("tessera::multiply"), Label("tessera::multiply_transposed")};
  Label const& label = labels[is_transposed ? 1 : 0];
  auto const region = region_of(operation, a);
  auto const rows = static_cast<Index>(a.extent(0));
  auto const cols = static_cast<Index>(a.extent(1));
  with_lines(operation, "A", a, [&](auto by_rows, auto const& lines) {
    with_kernels_for<Exec, T, SomeColumns>(operation, lines, options.kernels, [&]<class Set>(Set) {
      constexpr auto at_once = static_cast<std::size_t>(Set::template Of<Exec, T>::columns_at_once);
      for_passes(x.extent(1), at_once, [&](std::size_t first, std::size_t count) {
        if (count == 1) return of_column(first);
        BlockArgument<T const> const in_some(x, first, count);
        auto const out_some = output(BlockArgument<T>(y, first, count));
        SomeColumns const columns{static_cast<int>(count)};
        Tuning const tuning =
            tuning_for<T, by_rows(), Set>(exec, rows, cols, options.tuning, columns);
        if (product.is_transposed != by_rows()) {
          run_dot<Set>(exec, label, lines, in_some, out_some, options, tuning, columns);
        } else {
          run_sum<Set>(exec, label, lines, in_some, out_some, options, tuning, columns);
        }
      });
    });
  });
}

}  // namespace tessera::detail

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_PRODUCT(TEMPLATE, EXEC, T)                                                      \
  namespace tessera::detail {                                                                   \
  TEMPLATE void call_product(EXEC const&, VectorProduct const&, MatrixArgument<T const> const&, \
                             VectorArgument<T const> const&, VectorArgument<T> const&,          \
                             Options<EXEC> const&);                                             \
  TEMPLATE void call_product(EXEC const&, VectorProduct const&, MatrixArgument<T const> const&, \
                             MatrixArgument<T const> const&, MatrixArgument<T> const&,          \
                             Options<EXEC> const&);                                             \
  }
#define TESSERA_PRODUCT_OF_NARROW(TEMPLATE, EXEC, T)                                      \
  namespace tessera::detail {                                                             \
  TEMPLATE void call_product(EXEC const&, VectorProduct const&, NarrowArgument<T> const&, \
                             VectorArgument<T const> const&, VectorArgument<T> const&,    \
                             Options<EXEC> const&);                                       \
  TEMPLATE void call_product(EXEC const&, VectorProduct const&, NarrowArgument<T> const&, \
                             MatrixArgument<T const> const&, MatrixArgument<T> const&,    \
                             Options<EXEC> const&);                                       \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_PRODUCT)
TESSERA_COMPILED_FOR_FLOAT(TESSERA_PRODUCT_OF_NARROW)
