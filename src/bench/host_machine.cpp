// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <bench/machine.hpp>
#include <cstdio>
#include <fstream>

namespace tessera::bench::host {

std::size_t free_bytes() {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string line; std::getline(meminfo, line);) {
    std::size_t kibibytes = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %zu kB", &kibibytes) == 1) return kibibytes << 10;
  }
  return std::numeric_limits<std::size_t>::max();  // the allocation decides
}

}  // namespace tessera::bench::host
