// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/runner.hpp"

namespace tessera::test {

/// Records Kokkos' events during an operation; one log at a time.
class KernelLog final : public Observer {
 public:
  struct Kernel {
    std::string label;
    std::uint32_t device;
  };

  void begin(std::uint32_t device) override;
  void end() override;

  /// Omits Kokkos' pool of team scratch, which each launch on a GPU requests.
  std::vector<std::string> own_allocations(bool is_gpu) const;

  std::uint32_t device() const { return device_; }

  std::vector<Kernel> parallel_for;
  std::vector<Kernel> reductions_and_scans;
  std::vector<std::string> fences;
  std::vector<std::string> allocations;
  std::vector<std::string> deep_copies;

 private:
  std::uint32_t device_ = 0;
};

}  // namespace tessera::test
