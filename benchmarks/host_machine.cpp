// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <fstream>
#include <limits>

#include "machine.hpp"

namespace benchmarks {

Elapsed time(Exec const& exec, std::function<void()> const& enqueue) {
  auto const start = std::chrono::steady_clock::now();
  enqueue();
  exec.fence("benchmark: work is done");
  std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - start;
  return {elapsed.count(), std::nullopt};
}

int most_calls_under_way() {
  return std::numeric_limits<int>::max();
}

std::size_t bytes_to_rotate() {
  return 0;
}

std::size_t free_bytes() {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string line; std::getline(meminfo, line);) {
    std::size_t kibibytes = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %zu kB", &kibibytes) == 1) return kibibytes << 10;
  }
  return std::numeric_limits<std::size_t>::max();  // no such file: whoever asks has to try
}

std::vector<std::pair<std::string, std::string>> facts() {
  return {};
}

}  // namespace benchmarks
