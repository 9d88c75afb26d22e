// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace tessera::bench {

/// The number of Kokkos kernels that `work` starts. Kokkos fences while it counts.
int count_kernels(std::function<void()> const& work);

}  // namespace tessera::bench
