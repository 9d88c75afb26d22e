// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/runner.hpp"

namespace tessera::test {

/// Records Kokkos' events for tools while an operation runs. Only one log can listen at a time.
class KernelLog final : public Observer {
 public:
  /// A kernel and its execution space instance.
  struct Kernel {
    std::string label;
    std::uint32_t device;
  };

  void begin(std::uint32_t device) override;
  void end() override;

  /// Allocations. On a GPU, excludes Kokkos' own: it requests its pool of team scratch in every
  /// launch.
  std::vector<std::string> own_allocations(bool is_gpu) const;

  /// The instance of the operation.
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
