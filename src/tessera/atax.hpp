// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/compiled.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/detail/finish_atax.hpp>
#include <tessera/detail/packing.hpp>
#include <tessera/detail/run_atax.hpp>
#include <tessera/maps.hpp>
#include <tessera/options.hpp>

namespace tessera {
namespace detail {

/// `b` is null if B is not wanted.
template <class Exec, class T, ReadAs<T> A, class Factor>
void check_and_run_atax(Exec const& exec, A const& a, VectorArgument<T const> const& v,
                        VectorArgument<T> const* b, VectorArgument<T> const& c,
                        AtaxOptions<Exec, T> const& options, Factor const& factor) {
  constexpr auto operation = "atax";
  checks::require_matrix(operation, a);
  checks::require_input(operation, "v", v, a.extent(1));
  TermsOfAtax<T> const terms(options);
  auto const require_output = [&](char const* name, VectorArgument<T> const& out,
                                  std::size_t size) {
    checks::require_output(operation, name, out, size);
    checks::require_apart(operation, name, out, "A", a);
    checks::require_apart(operation, name, out, "v", v);
    terms.require_apart(operation, name, out);
  };
  if (b != nullptr) require_output("B", *b, a.extent(0));
  require_output("C", c, a.extent(1));
  if (b != nullptr) checks::require_apart(operation, "C", c, "B", *b);
  terms.require_extents(operation, a.extent(0), a.extent(1));
  auto const region = region_of(operation, a);
  auto const b_out = b == nullptr ? OutputVector<T>{nullptr, 1} : output(*b);
  if (a.extent(0) == 0 || a.extent(1) == 0) {
    set_zeros_of_atax<T>(exec, static_cast<Index>(a.extent(0)), b_out,
                         static_cast<Index>(a.extent(1)), output(c));
  } else {
    run_atax(exec, a, v, b_out, output(c), options, factor, OneColumn{});
  }
  finish_atax(exec, static_cast<Index>(a.extent(0)), b_out, static_cast<Index>(a.extent(1)),
              output(c), terms, factor);
}

template <class Exec, class T, ReadAs<T> A>
void call_atax(Exec const& exec, A const& a, VectorArgument<T const> const& v,
               VectorArgument<T> const* b, VectorArgument<T> const& c,
               AtaxOptions<Exec, T> const& options) {
  with_map(options.map,
           [&](auto const& factor) { check_and_run_atax(exec, a, v, b, c, options, factor); });
}

template <class Exec, class T, ReadAs<T> A, class Factor>
void run_atax_of_columns(Exec const& exec, A const& a, MatrixArgument<T const> const& v,
                         MatrixArgument<T> const* b, MatrixArgument<T> const& c, std::size_t first,
                         std::size_t count, AtaxOptions<Exec, T> const& options,
                         TermsOfAtax<T> const& terms, Factor const& factor) {
  auto const rows = static_cast<Index>(a.extent(0));
  auto const cols = static_cast<Index>(a.extent(1));
  auto const b_out = b == nullptr ? OutputVectors<T>{nullptr, 1, 0, rows}
                                  : output(BlockArgument<T>(*b, first, count));
  auto const c_out = output(BlockArgument<T>(c, first, count));
  run_atax(exec, a, BlockArgument<T const>(v, first, count), b_out, c_out, options, factor,
           SomeColumns{static_cast<int>(count)});
  for (int j = 0; j < static_cast<int>(count); ++j) {
    finish_atax(exec, rows, column_of(b_out, j), cols, column_of(c_out, j), terms, factor);
  }
}

template <class Exec, class T, ReadAs<T> A>
void call_atax(Exec const& exec, A const& a, MatrixArgument<T const> const& v,
               MatrixArgument<T> const* b, MatrixArgument<T> const& c,
               AtaxOptions<Exec, T> const& options) {
  constexpr auto operation = "atax";
  require_blocks(operation, a, "V", v, a.extent(1), "C", c, a.extent(1));
  if (b != nullptr) {
    require_blocks(operation, a, "V", v, a.extent(1), "B", *b, a.extent(0));
    checks::require_apart(operation, "C", c, "B", *b);
  }
  TermsOfAtax<T> const terms(options);
  terms.require_extents(operation, a.extent(0), a.extent(1));
  terms.require_apart(operation, "C", c);
  if (b != nullptr) terms.require_apart(operation, "B", *b);
  if (terms.has_z) {
    checks::fail(operation, "z is added to one vector: expected beta of 0 for a block of them");
  }
  bool const is_empty = a.extent(0) == 0 || a.extent(1) == 0;
  std::size_t const at_once =
      is_empty ? 1 : columns_at_once<Exec, T>(operation, a, options.kernels);
  auto const region = region_of(operation, a);
  for_passes(v.extent(1), at_once, [&](std::size_t first, std::size_t count) {
    if (count > 1) {
      return with_map(options.map, [&](auto const& factor) {
        run_atax_of_columns(exec, a, v, b, c, first, count, options, terms, factor);
      });
    }
    auto const b_j = b == nullptr ? VectorArgument<T>(nullptr, 0, 1) : column(*b, first);
    call_atax<Exec, T>(exec, a, column(v, first), b == nullptr ? nullptr : &b_j, column(c, first),
                       options);
  });
}

template <class Exec, class T, ReadAs<T> A, class F>
void call_atax(Exec const& exec, A const& a, VectorArgument<T const> const& v,
               VectorArgument<T> const* b, VectorArgument<T> const& c, F const& f,
               AtaxOptions<Exec, T> const& options) {
  if (!options.map.is_identity()) {
    checks::fail("atax", "expected a function or a map between the products, found both");
  }
  check_and_run_atax(exec, a, v, b, c, options, f);
}

}  // namespace detail

/// C = α·Aᵀ·f(A·v) + β·z, by default C = Aᵀ·(A·v)
///
/// | argument | shape | |
/// |---|---|---|
/// | A | m x n | in: rows or columns contiguous, any leading dimension |
/// | v | n, or n x k | in: any stride; a block of k vectors of any layout |
/// | C | n, or n x k | out: any stride but 0, overwritten; of a block of any layout |
/// | options | | f, α, β and z; method, workspace, tuning, kernels |
///
/// f is the `.map`, applied to each entry of A·v. C_j = fma(β, z_j, α·c_j) with α·c_j rounded.
///
/// Work and traffic: 4mn flop; fused (mn + 2n)·sizeof(T) bytes, two-stage (2mn + 2m +
/// 2n)·sizeof(T). A map adds its vector, α and β add 3n·sizeof(T).
///
/// Rules of every call: docs/guide/first-program.md. The bits depend only on the inputs and A's
/// layout (docs/summation.md). Without rows, C = β·z. LayoutStride is row-major if rows are
/// contiguous, else column-major if columns are, else refused.
///
/// Column j of a block has the bits of a call with its column j. It has no z. Up to 32 columns
/// share a pass over A, up to eight with portable kernels. `method_of_blocks` returns the method of
/// a pass.
///
/// A may be narrow, of a NarrowMatrix's element types. The result then has the bits of the same
/// call with A widened to the scalars of v, with every option. A is read as stored: fused mn bytes,
/// or 2mn; twice as many in two stages. GPUs have accelerated kernels for vectors and the lines
/// named in docs/guide/narrow.md.
/// @throws std::invalid_argument for wrong sizes, missing memory, overlap, an unusable tuning, a
/// workspace in use, and `Kernels::accelerated` with other lines of a narrow matrix on a GPU,
/// before any work is enqueued
///
/// Source: ATAX of PolyBench.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// Kokkos::View<double*> v("v", 30), y("y", 1000), C("C", 30);
/// tessera::atax(Kokkos::DefaultExecutionSpace(), A, v, C);  // C = Aᵀ·(A·v)
/// // The gradient Aᵀ·(A·v - y) of least squares:
/// tessera::atax(Kokkos::DefaultExecutionSpace(), A, v, C, {.map = tessera::maps::minus(y)});
/// Kokkos::View<double**, Kokkos::LayoutRight> V("V", 30, 8), CV("CV", 30, 8);
/// tessera::atax(Kokkos::DefaultExecutionSpace(), A, V, CV);
/// Kokkos::View<std::int8_t**, Kokkos::LayoutRight> narrow("narrow", 1000, 30);
/// Kokkos::View<float*> x("x", 30), D("D", 30);
/// tessera::atax(Kokkos::DefaultExecutionSpace(), narrow, x, D);
/// ```
template <ExecutionSpace Exec, StoredMatrixOf<Exec> A, InputOf<Exec, A> V, OutputFor<Exec, V> C>
void atax(
    Exec const& exec, A const& a, V const& v, C const& c,
    std::type_identity_t<AtaxOptions<Exec, typename V::non_const_value_type>> const& options = {}) {
  using T = typename V::non_const_value_type;
  auto const out = detail::output_of(c);
  decltype(&out) const none = nullptr;
  detail::call_atax<Exec, T>(exec, detail::stored_in<T>(a), detail::input_of(v), none, out,
                             options);
}

/// C = α·Aᵀ·B + β·z, and B = f(A·v)
///
/// B has m entries of any stride, or is m x k. Without a map, or with `.keep_product`, it has the
/// bits of `multiply`. Without columns, B = f(0). Adds m·sizeof(T) bytes, 4m·sizeof(T) with a map.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutRight> A("A", 1000, 30);
/// Kokkos::View<double*> v("v", 30), B("B", 1000), C("C", 30);
/// tessera::atax(Kokkos::DefaultExecutionSpace(), A, v, B, C);
/// ```
template <ExecutionSpace Exec, StoredMatrixOf<Exec> A, InputOf<Exec, A> V, OutputFor<Exec, V> B,
          OutputFor<Exec, V> C>
void atax(
    Exec const& exec, A const& a, V const& v, B const& b, C const& c,
    std::type_identity_t<AtaxOptions<Exec, typename V::non_const_value_type>> const& options = {}) {
  using T = typename V::non_const_value_type;
  auto const first = detail::output_of(b);
  detail::call_atax<Exec, T>(exec, detail::stored_in<T>(a), detail::input_of(v), &first,
                             detail::output_of(c), options);
}

/// C = α·Aᵀ·f(A·v) + β·z with a function f(i, b) of the caller
///
/// f is called on the device, any number of times per row, and must always return the same.
template <ExecutionSpace Exec, StoredMatrixOf<Exec> A, VectorOf<Exec, A> V,
          OutputVectorOf<Exec, V> C, RowFunction<typename V::non_const_value_type> F>
void atax(
    Exec const& exec, A const& a, V const& v, C const& c, F const& f,
    std::type_identity_t<AtaxOptions<Exec, typename V::non_const_value_type>> const& options = {}) {
  using T = typename V::non_const_value_type;
  detail::call_atax<Exec, T>(exec, detail::stored_in<T>(a), detail::vector_in(v), nullptr,
                             detail::vector_out(c), f, options);
}

/// As above, and B = f(A·v).
template <ExecutionSpace Exec, StoredMatrixOf<Exec> A, VectorOf<Exec, A> V,
          OutputVectorOf<Exec, V> B, OutputVectorOf<Exec, V> C,
          RowFunction<typename V::non_const_value_type> F>
void atax(
    Exec const& exec, A const& a, V const& v, B const& b, C const& c, F const& f,
    std::type_identity_t<AtaxOptions<Exec, typename V::non_const_value_type>> const& options = {}) {
  using T = typename V::non_const_value_type;
  auto const first = detail::vector_out(b);
  detail::call_atax<Exec, T>(exec, detail::stored_in<T>(a), detail::vector_in(v), &first,
                             detail::vector_out(c), f, options);
}

template <ExecutionSpace Exec, ForeignStorage A, class... Arguments>
refused::TesseraReadsFloatDoubleAndNarrowMatricesOnly atax(Exec const&, A const&,
                                                           Arguments const&...) = delete;

}  // namespace tessera

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types and names.
#define TESSERA_ATAX(TEMPLATE, EXEC, T)                                             \
  namespace tessera::detail {                                                       \
  TEMPLATE void call_atax(EXEC const&, MatrixArgument<T const> const&,              \
                          VectorArgument<T const> const&, VectorArgument<T> const*, \
                          VectorArgument<T> const&, AtaxOptions<EXEC, T> const&);   \
  TEMPLATE void call_atax(EXEC const&, MatrixArgument<T const> const&,              \
                          MatrixArgument<T const> const&, MatrixArgument<T> const*, \
                          MatrixArgument<T> const&, AtaxOptions<EXEC, T> const&);   \
  }
#define TESSERA_ATAX_OF_NARROW(TEMPLATE, EXEC, T)                                                \
  namespace tessera::detail {                                                                    \
  TEMPLATE void call_atax(EXEC const&, NarrowArgument<T> const&, VectorArgument<T const> const&, \
                          VectorArgument<T> const*, VectorArgument<T> const&,                    \
                          AtaxOptions<EXEC, T> const&);                                          \
  TEMPLATE void call_atax(EXEC const&, NarrowArgument<T> const&, MatrixArgument<T const> const&, \
                          MatrixArgument<T> const*, MatrixArgument<T> const&,                    \
                          AtaxOptions<EXEC, T> const&);                                          \
  }
// NOLINTEND(bugprone-macro-parentheses)
TESSERA_COMPILED(TESSERA_ATAX)
TESSERA_COMPILED_FOR_FLOAT(TESSERA_ATAX_OF_NARROW)
