// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

namespace tessera::backends::cuda {

/// Identifies the capture into a CUDA graph that the stream is in; 0: none.
inline unsigned long long capture_of(cudaStream_t stream) {
  auto status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  if (cudaStreamGetCaptureInfo(stream, &status, &id) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());  // the next call must not return it
    return 0;
  }
  return status == cudaStreamCaptureStatusActive ? id : 0;
}

}  // namespace tessera::backends::cuda
