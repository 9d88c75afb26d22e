// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include <Kokkos_Core.hpp>

#include <tessera/backends/cuda/capture.hpp>
#include <tessera/backends/most_recent.hpp>

namespace tessera::backends::cuda {

/// Kept until Kokkos is finalised.
inline MostRecent<std::uintptr_t, Kokkos::Cuda>& stream_instances() {
  static auto* const instances = [] {
    Kokkos::push_finalize_hook([] { stream_instances().clear(); });
    return new MostRecent<std::uintptr_t, Kokkos::Cuda>(most_streams);
  }();
  return *instances;
}

template <class Body>
void with_stream(int device, std::uintptr_t stream, Body const& body) {
  int const own = Kokkos::Cuda().cuda_device();
  if (device != own) {
    throw std::invalid_argument("tessera: the arrays are on GPU " + std::to_string(device) +
                                ", and Kokkos runs on GPU " + std::to_string(own));
  }
  Kokkos::Cuda const exec = stream_instances().get(stream, [stream] {
    auto* const handle = reinterpret_cast<cudaStream_t>(stream);
    if (capture_of(handle) != 0) {  // Kokkos allocates memory
      throw std::invalid_argument(
          "tessera: a graph cannot capture the first call in a stream; make a call with the same "
          "sizes in this stream before");
    }
    return Kokkos::Cuda(handle);
  });
  body(exec);
}

}  // namespace tessera::backends::cuda
