// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What can be known of GPUs without Kokkos, which aborts where there is none.
namespace tessera::backends {

/// A GPU, as its driver describes it. Asking takes none of its memory.
struct Device {
  int id = 0;  ///< among the visible devices, from 0
  std::string name;
  int major = 0;  ///< compute capability, the part before the point
  int minor = 0;  ///< and after it
  int multiprocessors = 0;
  std::uint64_t memory = 0;  ///< bytes
  double bandwidth = 0;  ///< theoretical, in bytes per second: bus width times clock; 0: unknown
};

/// What a look for GPUs found.
struct DeviceSurvey {
  int driver_version = 0;         ///< 12040 is CUDA 12.4; 0: no driver
  int runtime_version = 0;        ///< what this program was linked with, in the same way
  std::string error;              ///< in the words of the driver; empty: none
  std::vector<int> compiled_for;  ///< 75 is sm_75; empty: unknown
  std::vector<Device> devices;
};

/// A GPU after it was opened, which takes some of its memory.
struct DeviceState {
  std::string error;        ///< in the words of the driver; empty: it can be used
  bool lacks_code = false;  ///< the error: this program was not compiled for such a GPU
  std::uint64_t free = 0;   ///< bytes of memory that can be had
};

}  // namespace tessera::backends
