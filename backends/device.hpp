// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// GPUs without Kokkos, which aborts on a machine without GPU.
namespace tessera::backends {

struct Device {
  int id = 0;  ///< among visible devices, from 0
  std::string name;
  int major = 0;  ///< compute capability
  int minor = 0;
  int multiprocessors = 0;
  std::uint64_t memory = 0;  ///< bytes
  double bandwidth = 0;      ///< bytes per second; 0: unknown
};

struct DeviceSurvey {
  int driver_version = 0;  ///< 12040 is CUDA 12.4; 0: no driver
  int runtime_version = 0;
  std::string error;              ///< the driver's message; empty: no error
  std::vector<int> compiled_for;  ///< 75 is sm_75; empty: unknown
  std::vector<Device> devices;
};

/// After it was opened, which uses some of its memory.
struct DeviceState {
  std::string error;        ///< the driver's message; empty: usable
  bool lacks_code = false;  ///< the program was not compiled for this GPU
  std::uint64_t free = 0;   ///< bytes
};

}  // namespace tessera::backends
