// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace tessera::test {

struct SweepSettings {
  std::uint64_t seed = 1;                    ///< TESSERA_SWEEP_SEED
  std::uint64_t first = 0;                   ///< TESSERA_SWEEP_FIRST: index of the first shape
  std::optional<std::uint64_t> shapes;       ///< TESSERA_SWEEP_SHAPES
  std::optional<std::uint64_t> repetitions;  ///< TESSERA_SWEEP_REPETITIONS: calls per trial
  std::optional<bool> giants;                ///< TESSERA_SWEEP_GIANTS: 1 or 0

  static SweepSettings from_environment();
};

std::optional<std::uint64_t> available_host_memory();

}  // namespace tessera::test
