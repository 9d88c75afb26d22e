// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Facts about GPUs without Kokkos, which aborts on a machine without GPU.
namespace tessera::backends {

/// A GPU, as described by its driver. The query uses no memory of the GPU.
struct Device {
  int id = 0;  ///< among the visible devices, from 0
  std::string name;
  int major = 0;  ///< compute capability, the part before the point
  int minor = 0;  ///< the part after it
  int multiprocessors = 0;
  std::uint64_t memory = 0;  ///< bytes
  double bandwidth = 0;  ///< theoretical, in bytes per second: bus width times clock; 0: unknown
};

/// Result of a search for GPUs.
struct DeviceSurvey {
  int driver_version = 0;         ///< 12040 is CUDA 12.4; 0: no driver
  int runtime_version = 0;        ///< of this program, in the same format
  std::string error;              ///< message of the driver; empty: no error
  std::vector<int> compiled_for;  ///< 75 is sm_75; empty: unknown
  std::vector<Device> devices;
};

/// State of a GPU after it was opened, which uses some of its memory.
struct DeviceState {
  std::string error;        ///< message of the driver; empty: it can be used
  bool lacks_code = false;  ///< whether the error is that the program was not compiled for this GPU
  std::uint64_t free = 0;   ///< available bytes of memory
};

}  // namespace tessera::backends
