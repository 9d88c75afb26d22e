// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/contender.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::bench {

template <Layout layout>
using KokkosLayout =
    std::conditional_t<layout == Layout::row_major, Kokkos::LayoutRight, Kokkos::LayoutLeft>;

}  // namespace tessera::bench
