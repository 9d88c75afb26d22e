// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/cuda/errors.hpp>

/// Launches that Kokkos' tools see.
namespace tessera::backends::cuda {

/// start(function, arguments) launches and returns CUDA's error.
template <class Kernel, class Start>
void launch(Kokkos::Cuda const& exec, std::string const& label, void (*function)(Kernel),
            Kernel const& kernel, Start const& start) {
  require_success(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
  std::uint64_t number = 0;
  Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &number);
  Kernel copy = kernel;
  void* arguments[] = {&copy};
  require_success(start(reinterpret_cast<void const*>(function), arguments), "the launch failed",
                  label);
  Kokkos::Tools::endParallelFor(number);
}

}  // namespace tessera::backends::cuda
