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

/// No padding between rows or columns.
template <class T, class KokkosLayout>
using MatrixView = Kokkos::View<T**, KokkosLayout, Kokkos::HostSpace>;
template <class T>
using VectorView = Kokkos::View<T*, Kokkos::LayoutRight, Kokkos::HostSpace>;

using HostMatrix =
    std::variant<MatrixView<float, Kokkos::LayoutRight>, MatrixView<float, Kokkos::LayoutLeft>,
                 MatrixView<double, Kokkos::LayoutRight>, MatrixView<double, Kokkos::LayoutLeft>>;
/// The bits of elements of 8 or 16 bits.
using StoredMatrix = std::variant<
    MatrixView<std::uint8_t, Kokkos::LayoutRight>, MatrixView<std::uint8_t, Kokkos::LayoutLeft>,
    MatrixView<std::uint16_t, Kokkos::LayoutRight>, MatrixView<std::uint16_t, Kokkos::LayoutLeft>>;
using HostVector = std::variant<VectorView<float>, VectorView<double>>;
using ElementSpan = std::variant<std::span<float const>, std::span<double const>>;

}  // namespace tessera::io
