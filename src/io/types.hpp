// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <variant>

#include <Kokkos_Core.hpp>

#include <io/matrix_info.hpp>

namespace tessera::io {

/// A matrix in host memory: A(i, j), extents (rows, cols), no padding between rows or columns.
template <class T, class KokkosLayout>
using MatrixView = Kokkos::View<T**, KokkosLayout, Kokkos::HostSpace>;
/// A vector in host memory, contiguous.
template <class T>
using VectorView = Kokkos::View<T*, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// A matrix of any of the types and layouts that a file can hold: use std::visit.
using HostMatrix =
    std::variant<MatrixView<float, Kokkos::LayoutRight>, MatrixView<float, Kokkos::LayoutLeft>,
                 MatrixView<double, Kokkos::LayoutRight>, MatrixView<double, Kokkos::LayoutLeft>>;
/// A vector of either type: use std::visit.
using HostVector = std::variant<VectorView<float>, VectorView<double>>;
/// Elements to be written, of either type.
using ElementSpan = std::variant<std::span<float const>, std::span<double const>>;

}  // namespace tessera::io
