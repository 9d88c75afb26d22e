// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>

namespace tessera {

/// Scalars that Tessera computes with.
template <class T>
concept Scalar = std::same_as<T, float> || std::same_as<T, double>;

/// An execution space of Kokkos: any, since the portable kernels run on all.
template <class Exec>
concept ExecutionSpace = Kokkos::is_execution_space_v<Exec> && backends::Complete<Exec>::value;

/// A layout whose rows (LayoutRight) or columns (LayoutLeft) are contiguous; they may be padded.
template <class Layout>
concept ContiguousLayout =
    std::same_as<Layout, Kokkos::LayoutRight> || std::same_as<Layout, Kokkos::LayoutLeft>;

/// A rank-2 view of scalars in row-major (LayoutRight) or column-major (LayoutLeft) order, or in
/// LayoutStride, with rows or columns that are contiguous when it is used.
template <class View>
concept Matrix =
    Kokkos::is_view_v<View> && View::rank() == 2 && Scalar<typename View::non_const_value_type> &&
    (ContiguousLayout<typename View::array_layout> ||
     std::same_as<typename View::array_layout, Kokkos::LayoutStride>);

/// A rank-1 view of scalars, of any stride.
template <class View>
concept Vector =
    Kokkos::is_view_v<View> && View::rank() == 1 && Scalar<typename View::non_const_value_type>;

/// A vector that can be written.
template <class View>
concept OutputVector = Vector<View> && !std::is_const_v<typename View::value_type>;

/// Memory of `View` that kernels of `Exec` can reach.
template <class View, class Exec>
concept AccessibleFrom =
    bool(Kokkos::SpaceAccessibility<Exec, typename View::memory_space>::accessible);

/// Two views of the same scalar.
template <class A, class B>
concept SameScalar =
    std::same_as<typename A::non_const_value_type, typename B::non_const_value_type>;

/// What Tessera moves without looking at it: any type whose bytes may be copied, of 1, 2, 4, 8 or
/// 16 bytes.
template <class T>
concept Element =
    std::is_trivially_copyable_v<T> && sizeof(T) <= 16 && std::has_single_bit(sizeof(T));

/// A rank-2 view of elements, in LayoutRight, LayoutLeft or LayoutStride.
template <class View>
concept ElementMatrix =
    Kokkos::is_view_v<View> && View::rank() == 2 && Element<typename View::non_const_value_type> &&
    (ContiguousLayout<typename View::array_layout> ||
     std::same_as<typename View::array_layout, Kokkos::LayoutStride>);

/// What a transpose on `Exec` takes as input.
template <class View, class Exec>
concept ElementMatrixOf = ElementMatrix<View> && AccessibleFrom<View, Exec>;

/// What a transpose on `Exec` writes.
template <class View, class Exec>
concept OutputElementMatrixOf =
    ElementMatrixOf<View, Exec> && !std::is_const_v<typename View::value_type>;

/// What a transpose on `Exec` writes of the input `A`.
template <class View, class Exec, class A>
concept TransposeOf = OutputElementMatrixOf<View, Exec> && SameScalar<View, A>;

/// What an operation on `Exec` takes as matrix.
template <class View, class Exec>
concept MatrixOf = Matrix<View> && AccessibleFrom<View, Exec>;

/// The same, where the order of its elements is known when it is compiled.
template <class View, class Exec>
concept OrderedMatrixOf = MatrixOf<View, Exec> && ContiguousLayout<typename View::array_layout>;

/// What a matrix product on `Exec` takes as second factor beside `A`.
template <class View, class Exec, class A>
concept FactorOf = MatrixOf<View, Exec> && SameScalar<View, A>;

/// What a matrix product on `Exec` writes beside `A`.
template <class View, class Exec, class A>
concept OutputMatrixOf = FactorOf<View, Exec, A> && !std::is_const_v<typename View::value_type>;

/// What an operation on `Exec` takes as input vector beside the matrix `A`.
template <class View, class Exec, class A>
concept VectorOf = Vector<View> && AccessibleFrom<View, Exec> && SameScalar<View, A>;

/// What an operation on `Exec` takes as output vector beside the matrix `A`.
template <class View, class Exec, class A>
concept OutputVectorOf = OutputVector<View> && AccessibleFrom<View, Exec> && SameScalar<View, A>;

/// A view of elements that Tessera does not compute with, or does not move.
template <class View>
concept ForeignScalars = Kokkos::is_view_v<View> && !Scalar<typename View::non_const_value_type>;
template <class View>
concept ForeignElements = Kokkos::is_view_v<View> && !Element<typename View::non_const_value_type>;

/// Why a call is refused, in the words of the compiler: overloads for what is often tried and
/// cannot be had are deleted, and return these.
namespace refused {
struct TesseraComputesWithFloatAndDoubleOnly;
struct TesseraMovesTriviallyCopyableElementsOf1Or2Or4Or8Or16BytesOnly;
}  // namespace refused

}  // namespace tessera
