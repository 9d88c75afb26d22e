// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

namespace tessera::detail {

/// Of the transpose in the same memory.
template <class Layout>
using TransposedLayout = std::conditional_t<
    std::is_same_v<Layout, Kokkos::LayoutRight>, Kokkos::LayoutLeft,
    std::conditional_t<std::is_same_v<Layout, Kokkos::LayoutLeft>, Kokkos::LayoutRight, Layout>>;

}  // namespace tessera::detail
