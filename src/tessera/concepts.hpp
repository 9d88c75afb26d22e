// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/backends.hpp>
#include <tessera/narrow.hpp>

namespace tessera {

template <class T>
concept Scalar = std::same_as<T, float> || std::same_as<T, double>;

template <class Exec>
concept ExecutionSpace = Kokkos::is_execution_space_v<Exec> && backends::Complete<Exec>::value;

/// Lines may be padded.
template <class Layout>
concept ContiguousLayout =
    std::same_as<Layout, Kokkos::LayoutRight> || std::same_as<Layout, Kokkos::LayoutLeft>;

/// With LayoutStride, operations check that rows or columns are contiguous.
template <class View>
concept Matrix =
    Kokkos::is_view_v<View> && View::rank() == 2 && Scalar<typename View::non_const_value_type> &&
    (ContiguousLayout<typename View::array_layout> ||
     std::same_as<typename View::array_layout, Kokkos::LayoutStride>);

template <class View>
concept Vector =
    Kokkos::is_view_v<View> && View::rank() == 1 && Scalar<typename View::non_const_value_type>;

template <class View>
concept OutputVector = Vector<View> && !std::is_const_v<typename View::value_type>;

template <class View, class Exec>
concept AccessibleFrom =
    bool(Kokkos::SpaceAccessibility<Exec, typename View::memory_space>::accessible);

template <class A, class B>
concept SameScalar =
    std::same_as<typename A::non_const_value_type, typename B::non_const_value_type>;

/// Element types that Tessera moves without interpretation.
template <class T>
concept Element =
    std::is_trivially_copyable_v<T> && sizeof(T) <= 16 && std::has_single_bit(sizeof(T));

template <class View>
concept ElementMatrix =
    Kokkos::is_view_v<View> && View::rank() == 2 && Element<typename View::non_const_value_type> &&
    (ContiguousLayout<typename View::array_layout> ||
     std::same_as<typename View::array_layout, Kokkos::LayoutStride>);

template <class View, class Exec>
concept ElementMatrixOf = ElementMatrix<View> && AccessibleFrom<View, Exec>;

template <class View, class Exec>
concept OutputElementMatrixOf =
    ElementMatrixOf<View, Exec> && !std::is_const_v<typename View::value_type>;

template <class View, class Exec, class A>
concept TransposeOf = OutputElementMatrixOf<View, Exec> && SameScalar<View, A>;

template <class View, class Exec>
concept MatrixOf = Matrix<View> && AccessibleFrom<View, Exec>;

/// Float16, Bfloat16, Kokkos' half_t and bhalf_t, and integers of 8 or 16 bits (narrow.hpp).
template <class View>
concept NarrowMatrix = Kokkos::is_view_v<View> && View::rank() == 2 &&
                       NarrowScalar<typename View::non_const_value_type> &&
                       (ContiguousLayout<typename View::array_layout> ||
                        std::same_as<typename View::array_layout, Kokkos::LayoutStride>);

template <class View, class Exec>
concept NarrowMatrixOf = NarrowMatrix<View> && AccessibleFrom<View, Exec>;

/// A vector of any scalar: with a narrow matrix, the input determines it.
template <class View, class Exec>
concept InputVectorOf = Vector<View> && AccessibleFrom<View, Exec>;

/// What products read: scalars, or narrow elements as stored.
template <class View, class Exec>
concept StoredMatrixOf = MatrixOf<View, Exec> || NarrowMatrixOf<View, Exec>;

template <class View, class Exec>
concept OrderedMatrixOf = MatrixOf<View, Exec> && ContiguousLayout<typename View::array_layout>;

/// Of the scalars of A, or of any if A is narrow.
template <class View, class Exec, class A>
concept FactorOf = MatrixOf<View, Exec> && (NarrowMatrix<A> || SameScalar<View, A>);

template <class View, class Exec, class A>
concept OutputMatrixOf = FactorOf<View, Exec, A> && !std::is_const_v<typename View::value_type>;

/// As FactorOf.
template <class View, class Exec, class A>
concept VectorOf = InputVectorOf<View, Exec> && (NarrowMatrix<A> || SameScalar<View, A>);

template <class View, class Exec, class A>
concept OutputVectorOf = OutputVector<View> && AccessibleFrom<View, Exec> && SameScalar<View, A>;

/// A vector, or a matrix whose columns are a block of vectors.
template <class View, class Exec, class A>
concept InputOf = VectorOf<View, Exec, A> || FactorOf<View, Exec, A>;

/// A vector if the input X is one, otherwise a block.
template <class View, class Exec, class X>
concept OutputFor =
    (Vector<X> && OutputVectorOf<View, Exec, X>) || (Matrix<X> && OutputMatrixOf<View, Exec, X>);

template <class View>
concept ForeignStorage = Kokkos::is_view_v<View> && !Scalar<typename View::non_const_value_type> &&
                         !NarrowScalar<typename View::non_const_value_type>;
template <class View>
concept ForeignScalars = Kokkos::is_view_v<View> && !Scalar<typename View::non_const_value_type>;
template <class View>
concept ForeignElements = Kokkos::is_view_v<View> && !Element<typename View::non_const_value_type>;

/// The compiler shows these return types of deleted overloads as the reason.
namespace refused {
struct TesseraComputesWithFloatAndDoubleOnly;
struct TesseraReadsFloatDoubleAndNarrowMatricesOnly;
struct TesseraMovesTriviallyCopyableElementsOf1Or2Or4Or8Or16BytesOnly;
}  // namespace refused

}  // namespace tessera
