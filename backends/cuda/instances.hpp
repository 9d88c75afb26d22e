// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

#include <Kokkos_Core.hpp>

namespace tessera::backends::cuda {

/// An instance of Kokkos' for each stream of others that was met, until Kokkos ends.
inline std::map<std::uintptr_t, Kokkos::Cuda>& stream_instances() {
  static auto* const instances = [] {
    Kokkos::push_finalize_hook([] { stream_instances().clear(); });
    return new std::map<std::uintptr_t, Kokkos::Cuda>;
  }();
  return *instances;
}

/// See tessera::backends::with_stream.
template <class Body>
void with_stream(int device, std::uintptr_t stream, Body const& body) {
  int const own = Kokkos::Cuda().cuda_device();
  if (device != own) {
    throw std::invalid_argument("tessera: the arrays lie on GPU " + std::to_string(device) +
                                ", and Kokkos runs on GPU " + std::to_string(own));
  }
  auto& instances = stream_instances();
  auto place = instances.find(stream);
  if (place == instances.end()) {
    place = instances.emplace(stream, Kokkos::Cuda(reinterpret_cast<cudaStream_t>(stream))).first;
  }
  body(place->second);
}

}  // namespace tessera::backends::cuda
