// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/machine.hpp>
#include <chrono>
#include <cuda_runtime_api.h>
#include <fstream>
#include <regex>
#include <stdexcept>

namespace tessera::bench::gpu {
namespace {

void check(cudaError_t result, char const* call) {
  if (result != cudaSuccess) {
    throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(result));
  }
}

struct Events {
  Events() {
    check(cudaEventCreate(&start), "cudaEventCreate");
    check(cudaEventCreate(&stop), "cudaEventCreate");
  }
  cudaEvent_t start{};
  cudaEvent_t stop{};
};

cudaDeviceProp const& device() {
  return Kokkos::Cuda().cuda_device_prop();
}

int attribute(cudaDeviceAttr name) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, name, Kokkos::Cuda().cuda_device()),
        "cudaDeviceGetAttribute");
  return value;
}

std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::smatch found;
  return std::regex_search(line, found, std::regex("[0-9]+[.][0-9.]+")) ? found.str() : "unknown";
}

}  // namespace

Elapsed time(void* its_stream, std::function<void()> const& enqueue) {
  static Events const events;
  auto const stream = static_cast<cudaStream_t>(its_stream);
  check(cudaEventRecord(events.start, stream), "cudaEventRecord");
  auto const start = std::chrono::steady_clock::now();
  enqueue();
  std::chrono::duration<double> const on_host = std::chrono::steady_clock::now() - start;
  check(cudaEventRecord(events.stop, stream), "cudaEventRecord");
  check(cudaEventSynchronize(events.stop), "cudaEventSynchronize");
  check(cudaGetLastError(), "a kernel");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, events.start, events.stop), "cudaEventElapsedTime");
  return {static_cast<double>(milliseconds) * 1e-3, on_host.count()};
}

std::size_t cache_bytes() {
  return static_cast<std::size_t>(device().l2CacheSize);
}

std::size_t free_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  constexpr std::size_t kept_for_others = std::size_t{1} << 30;  // workspaces and libraries
  return free > kept_for_others ? free - kept_for_others : 0;
}

Facts facts() {
  int driver = 0;
  int runtime = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  auto const& gpu = device();
  double const memory_hertz = 1e3 * attribute(cudaDevAttrMemoryClockRate);
  double const peak = 2 * memory_hertz * gpu.memoryBusWidth / 8;  // two transfers per clock
  return {
      {"device", gpu.name},
      {"compute_capability", std::to_string(gpu.major) + "." + std::to_string(gpu.minor)},
      {"processors", std::to_string(gpu.multiProcessorCount)},
      {"memory_bytes", std::to_string(gpu.totalGlobalMem)},
      {"l2_bytes", std::to_string(gpu.l2CacheSize)},
      {"peak_GB_per_s", std::to_string(static_cast<long long>(peak / 1e9))},
      {"driver", driver_version()},
      {"cuda_driver", version(driver)},
      {"cuda_runtime", version(runtime)},
  };
}

}  // namespace tessera::bench::gpu
