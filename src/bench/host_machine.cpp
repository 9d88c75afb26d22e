// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/machine.hpp>
#include <cstdint>
#include <cstdio>
#include <fstream>

#include <Kokkos_Core.hpp>

namespace tessera::bench {
namespace {

namespace tools = Kokkos::Tools::Experimental;

int kernels = 0;  // Kokkos' callbacks are plain functions

void on_kernel(char const* /*label*/, std::uint32_t /*device*/, std::uint64_t* /*kernel*/) {
  ++kernels;
}

}  // namespace

int count_kernels(std::function<void()> const& work) {
  kernels = 0;
  auto const before = tools::get_callbacks();
  tools::set_begin_parallel_for_callback(on_kernel);
  tools::set_begin_parallel_reduce_callback(on_kernel);
  tools::set_begin_parallel_scan_callback(on_kernel);
  work();
  tools::set_callbacks(before);
  return kernels;
}

std::size_t host::free_bytes() {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string line; std::getline(meminfo, line);) {
    std::size_t kibibytes = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %zu kB", &kibibytes) == 1) return kibibytes << 10;
  }
  return std::numeric_limits<std::size_t>::max();  // the allocation decides
}

}  // namespace tessera::bench
