// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include <tessera/backends/backends.hpp>
#include <tessera/concepts.hpp>
#include <tessera/options.hpp>

namespace tessera {

/// Portable or accelerated.
/// @throws std::invalid_argument for kernels that the backend does not have
template <ExecutionSpace Exec>
Kernels kernels_used(Kernels wanted) {
  if constexpr (backends::IsAccelerated<Exec>) {
    return wanted == Kernels::portable ? Kernels::portable : Kernels::accelerated;
  } else {
    if (wanted != Kernels::accelerated) return Kernels::portable;
    throw std::invalid_argument(std::string("the backend ") + Exec::name() +
                                " has no accelerated kernels: choose automatic or portable ones");
  }
}

}  // namespace tessera
