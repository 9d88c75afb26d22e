// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// GPUs as found without Kokkos, which aborts on a machine without GPU.
namespace tessera::backends {

struct Device {
  int id = 0;  ///< number among visible devices
  std::string name;
  int major = 0;  ///< of the compute capability
  int minor = 0;
  int multiprocessors = 0;
  std::uint64_t memory = 0;
  double bandwidth = 0;  ///< bytes per second; 0: unknown
};

struct DeviceSurvey {
  int driver_version = 0;  ///< 12040 is CUDA 12.4; 0: no driver
  int runtime_version = 0;
  std::string error;              ///< the driver's message; empty: no error
  std::vector<int> compiled_for;  ///< 75 is sm_75; empty: unknown
  std::vector<Device> devices;
};

/// State of a device after it was opened, which uses some of its memory.
struct DeviceState {
  std::string error;  ///< empty: usable
  bool lacks_code = false;
  std::uint64_t free = 0;
};

}  // namespace tessera::backends
