// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/kernel_count.hpp>
#include <cstdint>

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

}  // namespace tessera::bench
