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
/// | u | m, or m x k | in: any stride; a block of k vectors of any layout, without z |
/// | B | m, or m x k | out: any stride but 0, overwritten; of a block of any layout |
/// | options | | as `atax` of Aᵀ: the map has n entries, z has m |
///
/// Work and traffic: 4mn flop; fused (mn + 2m)·sizeof(T) bytes, two-stage (2mn + 2m +
/// 2n)·sizeof(T). The columns of A have the role of the rows in `atax`: column-major matrices are
/// read once if rows of their length are.
///
/// Guarantees and errors as `atax`, also for a narrow A, with the bits of `atax` of Aᵀ: a
/// LayoutRight m x n View is a LayoutLeft n x m View of the same memory. Tools for profiling show
/// that `atax`.
///
/// ```cpp
/// Kokkos::View<double**, Kokkos::LayoutLeft> A("A", 30, 1000);
/// Kokkos::View<double*> u("u", 30), B("B", 30);
/// tessera::aatx(Kokkos::DefaultExecutionSpace(), A, u, B);  // B = A·(Aᵀ·u)
/// ```
template <ExecutionSpace Exec, StoredMatrixOf<Exec> A, InputOf<Exec, A> U, OutputFor<Exec, U> B>
void aatx(
    Exec const& exec, A const& a, U const& u, B const& b,
    std::type_identity_t<AtaxOptions<Exec, typename U::non_const_value_type>> const& options = {}) {
  using T = typename U::non_const_value_type;
  detail::call_aatx(exec, detail::stored_in<T>(detail::TransposeOf(a)), detail::input_of(u),
                    detail::output_of(b), options);
}

template <ExecutionSpace Exec, ForeignStorage A, class... Arguments>
refused::TesseraReadsFloatDoubleAndNarrowMatricesOnly aatx(Exec const&, A const&,
                                                           Arguments const&...) = delete;

}  // namespace tessera
