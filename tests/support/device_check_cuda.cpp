// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include "support/device_check.hpp"

namespace tessera::test {

std::string why_no_device() {
  int devices = 0;
  cudaError_t const result = cudaGetDeviceCount(&devices);
  if (result != cudaSuccess) return std::string("CUDA: ") + cudaGetErrorString(result);
  return devices > 0 ? "" : "CUDA: there is no device";
}

}  // namespace tessera::test
