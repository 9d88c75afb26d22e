// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tessera::backends::cuda {

inline void require_success(cudaError_t error, std::string_view what, std::string const& label) {
  if (error != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // the next call must not return it
    throw std::runtime_error("tessera: " + label + (label.empty() ? "" : ": ") + std::string(what) +
                             ": " + cudaGetErrorString(error));
  }
}
inline void require_success(cudaError_t error, std::string_view what) {
  require_success(error, what, {});
}

}  // namespace tessera::backends::cuda
