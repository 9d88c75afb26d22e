// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/atax.hpp>
#include <tessera/checks.hpp>
#include <tessera/concepts.hpp>
#include <tessera/detail/arguments.hpp>
#include <tessera/options.hpp>
#include <tessera/order/transposed.hpp>

namespace tessera {
namespace detail {

/// The transpose of a View, in the same memory.
template <class View>
class TransposeOf {
 public:
  using const_value_type = typename View::const_value_type;
  using non_const_value_type = typename View::non_const_value_type;
  using array_layout = TransposedLayout<typename View::array_layout>;

  explicit TransposeOf(View const& a) : a_(a) {}

  [[nodiscard]] auto* data() const { return a_.data(); }
  [[nodiscard]] std::size_t extent(std::size_t i) const { return a_.extent(1 - i); }
  [[nodiscard]] auto stride(std::size_t i) const { return a_.stride(1 - i); }

 private:
  View const& a_;
};

/// @param at Aᵀ
template <class Exec, class T, ReadAs<T> A>
void call_aatx(Exec const& exec, A const& at, VectorArgument<T const> const& u,
               VectorArgument<T> const& b, AtaxOptions<Exec, T> const& options) {
  constexpr auto operation = "aatx";
  checks::require_matrix(operation, at);
  checks::require_input(operation, "u", u, at.extent(1));
  checks::require_output(operation, "B", b, at.extent(1));
  checks::require_apart(operation, "B", b, "A", at);
  checks::require_apart(operation, "B", b, "u", u);
  call_atax<Exec, T>(exec, at, u, nullptr, b, options);
}

template <class Exec, class T, ReadAs<T> A>
void call_aatx(Exec const& exec, A const& at, MatrixArgument<T const> const& u,
               MatrixArgument<T> const& b, AtaxOptions<Exec, T> const& options) {
  require_blocks("aatx", at, "U", u, at.extent(1), "B", b, at.extent(1));
  MatrixArgument<T> const* const none = nullptr;
  call_atax<Exec, T>(exec, at, u, none, b, options);
}

}  // namespace detail

/// B = A·(Aᵀ·u), the `atax` of Aᵀ
///
/// | argument | shape | |
/// |---|---|---|
/// | A | m x n | in: as `atax` |
/// | u | m | in: any stride |
/// | B | m | out: any stride but 0, overwritten |
/// | options | | as `atax` of Aᵀ: the map has n entries, z has m |
///
/// Work and traffic: 4mn flop; fused (mn + 2m)·sizeof(T) bytes, two-stage (2mn + 2m +
/// 2n)·sizeof(T). The columns of A have the role of the rows in `atax`: column-major matrices are
/// read once if rows of their length are.
///
/// Guarantees and errors as `atax`, with the bits of `atax` of Aᵀ: a LayoutRight m x n View is a
/// LayoutLeft n x m View of the same memory. Tools for profiling show that `atax`.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutLeft> A("A", 30, 1000);
/// Kokkos::View<double*> u("u", 30), B("B", 30);
/// tessera::aatx(Kokkos::DefaultExecutionSpace(), A, u, B);  // B = A·(Aᵀ·u)
/// ```
template <ExecutionSpace Exec, MatrixOf<Exec> A, VectorOf<Exec, A> U, OutputVectorOf<Exec, A> B>
void aatx(
    Exec const& exec, A const& a, U const& u, B const& b,
    std::type_identity_t<AtaxOptions<Exec, typename A::non_const_value_type>> const& options = {}) {
  detail::call_aatx(exec, detail::matrix_in(detail::TransposeOf(a)), detail::vector_in(u),
                    detail::vector_out(b), options);
}

/// B = A·(Aᵀ·U) for a block U of k vectors
///
/// U and B are m x k, of any layout. No z. Column j has the bits of a call with U's column j.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutLeft> A("A", 30, 1000);
/// Kokkos::View<double**, Kokkos::LayoutRight> U("U", 30, 8), B("B", 30, 8);
/// tessera::aatx(Kokkos::DefaultExecutionSpace(), A, U, B);
/// ```
template <ExecutionSpace Exec, MatrixOf<Exec> A, FactorOf<Exec, A> In, OutputMatrixOf<Exec, A> Out>
void aatx(
    Exec const& exec, A const& a, In const& u, Out const& b,
    std::type_identity_t<AtaxOptions<Exec, typename A::non_const_value_type>> const& options = {}) {
  detail::call_aatx(exec, detail::matrix_in(detail::TransposeOf(a)), detail::matrix_in(u),
                    detail::matrix_out(b), options);
}

/// B = A·(Aᵀ·u) of a narrow matrix
///
/// A is m x n, of a NarrowMatrix's element types. The result has the bits of the same call with A
/// widened to the scalars of u. GPUs have accelerated kernels for vectors
/// and the lines named in docs/guide/narrow.md.
/// @throws std::invalid_argument as above, and for `Kernels::accelerated` with other lines on a GPU
///
/// ```cpp
/// Kokkos::View<std::int8_t**, Kokkos::LayoutLeft> A("A", 30, 1000);
/// Kokkos::View<float*> u("u", 30), B("B", 30);
/// tessera::aatx(Kokkos::DefaultExecutionSpace(), A, u, B);
/// ```
template <ExecutionSpace Exec, NarrowMatrixOf<Exec> Narrow, InputVectorOf<Exec> U,
          OutputVectorOf<Exec, U> B>
void aatx(
    Exec const& exec, Narrow const& a, U const& u, B const& b,
    std::type_identity_t<AtaxOptions<Exec, typename U::non_const_value_type>> const& options = {}) {
  using T = typename U::non_const_value_type;
  detail::call_aatx(exec, detail::narrow_in<T>(detail::TransposeOf(a)), detail::vector_in(u),
                    detail::vector_out(b), options);
}

/// B = A·(Aᵀ·U) of a narrow matrix and a block of k vectors.
template <ExecutionSpace Exec, NarrowMatrixOf<Exec> Narrow, MatrixOf<Exec> In,
          OutputMatrixOf<Exec, In> Out>
void aatx(Exec const& exec, Narrow const& a, In const& u, Out const& b,
          std::type_identity_t<AtaxOptions<Exec, typename In::non_const_value_type>> const&
              options = {}) {
  using T = typename In::non_const_value_type;
  detail::call_aatx(exec, detail::narrow_in<T>(detail::TransposeOf(a)), detail::matrix_in(u),
                    detail::matrix_out(b), options);
}

template <ExecutionSpace Exec, ForeignStorage A, class... Arguments>
refused::TesseraReadsFloatDoubleAndNarrowMatricesOnly aatx(Exec const&, A const&,
                                                           Arguments const&...) = delete;

}  // namespace tessera
