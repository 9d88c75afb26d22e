// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace tessera::bench {

/// Kokkos fences while it counts.
int count_kernels(std::function<void()> const& work);

}  // namespace tessera::bench
