// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/kernel_log.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <Kokkos_Core.hpp>

namespace tessera::test {
namespace {

namespace tools = Kokkos::Tools::Experimental;

// Kokkos' callbacks are plain functions and need a global.
KernelLog* listener = nullptr;

void on_parallel_for(char const* label, std::uint32_t device, std::uint64_t* /*kernel*/) {
  listener->parallel_for.push_back({label, device});
}

void on_other_kernel(char const* label, std::uint32_t device, std::uint64_t* /*kernel*/) {
  listener->reductions_and_scans.push_back({label, device});
}

void on_fence(char const* label, std::uint32_t /*device*/, std::uint64_t* /*fence*/) {
  // Kokkos fences before it calls a tool.
  std::string_view const name(label);
  if (!name.starts_with("Kokkos::Tools::invoke_kokkosp_callback")) {
    listener->fences.emplace_back(name);
  }
}

void on_allocation(Kokkos::Tools::SpaceHandle /*space*/, char const* label, void const* /*data*/,
                   std::uint64_t /*bytes*/) {
  listener->allocations.emplace_back(label);
}

void on_deep_copy(Kokkos::Tools::SpaceHandle /*to_space*/, char const* to, void const* /*to_data*/,
                  Kokkos::Tools::SpaceHandle /*from_space*/, char const* /*from*/,
                  void const* /*from_data*/, std::uint64_t /*bytes*/) {
  listener->deep_copies.emplace_back(to);
}

}  // namespace

void KernelLog::begin(std::uint32_t device) {
  device_ = device;
  listener = this;
  tools::set_begin_parallel_for_callback(on_parallel_for);
  tools::set_begin_parallel_reduce_callback(on_other_kernel);
  tools::set_begin_parallel_scan_callback(on_other_kernel);
  tools::set_begin_fence_callback(on_fence);
  tools::set_allocate_data_callback(on_allocation);
  tools::set_begin_deep_copy_callback(on_deep_copy);
}

void KernelLog::end() {
  tools::set_begin_parallel_for_callback(nullptr);
  tools::set_begin_parallel_reduce_callback(nullptr);
  tools::set_begin_parallel_scan_callback(nullptr);
  tools::set_begin_fence_callback(nullptr);
  tools::set_allocate_data_callback(nullptr);
  tools::set_begin_deep_copy_callback(nullptr);
  listener = nullptr;
}

std::vector<std::string> KernelLog::own_allocations(bool is_gpu) const {
  std::vector<std::string> result;
  std::copy_if(allocations.begin(), allocations.end(), std::back_inserter(result),
               [&](std::string const& label) { return !is_gpu || !label.starts_with("Kokkos::"); });
  return result;
}

}  // namespace tessera::test
