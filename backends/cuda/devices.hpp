// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>
#include <string>
#include <vector>

#include <tessera/backends/device.hpp>

/// The machine's GPUs, without Kokkos.
namespace tessera::backends::cuda {

/// A device that has code for this kernel has code for all.
template <class = void>
__global__ void probe() {}

inline std::string words_of(cudaError_t error) {
  if (error == cudaSuccess) return {};
  static_cast<void>(cudaGetLastError());
  return cudaGetErrorString(error);
}

inline std::vector<int> compiled_for() {
  std::vector<int> result;
#if defined(__CUDA_ARCH_LIST__)
  for (int const architecture : {__CUDA_ARCH_LIST__}) result.push_back(architecture / 10);
#endif
  return result;
}

/// Bytes per second, two transfers per cycle; 0: unknown.
inline double theoretical_bandwidth(int id) {
  int kilohertz = 0, bits = 0;
  if (cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, id) != cudaSuccess ||
      cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, id) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  return 2 * (kilohertz * 1e3) * (bits / 8.0);
}

inline DeviceSurvey survey_devices() {
  DeviceSurvey survey;
  survey.compiled_for = compiled_for();
  static_cast<void>(cudaDriverGetVersion(&survey.driver_version));
  static_cast<void>(cudaRuntimeGetVersion(&survey.runtime_version));
  int count = 0;
  survey.error = words_of(cudaGetDeviceCount(&count));
  for (int id = 0; id < count && survey.error.empty(); ++id) {
    cudaDeviceProp properties{};
    survey.error = words_of(cudaGetDeviceProperties(&properties, id));
    survey.devices.push_back({.id = id,
                              .name = static_cast<char const*>(properties.name),
                              .major = properties.major,
                              .minor = properties.minor,
                              .multiprocessors = properties.multiProcessorCount,
                              .memory = properties.totalGlobalMem,
                              .bandwidth = theoretical_bandwidth(id)});
  }
  if (!survey.error.empty()) survey.devices.clear();
  return survey;
}

inline DeviceState open_device(int id) {
  DeviceState state;
  cudaFuncAttributes attributes{};
  std::size_t free = 0, total = 0;
  cudaError_t error = cudaSetDevice(id);
  if (error == cudaSuccess) error = cudaMemGetInfo(&free, &total);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, probe<>);
  state.lacks_code = error == cudaErrorNoKernelImageForDevice ||
                     error == cudaErrorInvalidDeviceFunction ||
                     error == cudaErrorUnsupportedPtxVersion;
  state.free = free;
  state.error = words_of(error);
  return state;
}

}  // namespace tessera::backends::cuda
