// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>
#include <stdexcept>
#include <string>

namespace tessera::backends::cuda {

/// Throws std::runtime_error with CUDA's own words.
inline void require_success(cudaError_t error, std::string const& what) {
  if (error != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // the next call must not find it
    throw std::runtime_error("tessera: " + what + ": " + cudaGetErrorString(error));
  }
}

}  // namespace tessera::backends::cuda
