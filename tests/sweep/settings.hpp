// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace tessera::test {

/// What the environment asks of the sweep; what it does not name has the value of its case.
struct SweepSettings {
  std::uint64_t seed = 1;                    ///< TESSERA_SWEEP_SEED
  std::uint64_t first = 0;                   ///< TESSERA_SWEEP_FIRST: number of the first shape
  std::optional<std::uint64_t> shapes;       ///< TESSERA_SWEEP_SHAPES: how many
  std::optional<std::uint64_t> repetitions;  ///< TESSERA_SWEEP_REPETITIONS: of every call
  std::optional<bool> giants;                ///< TESSERA_SWEEP_GIANTS: 1 or 0

  /// Reads the environment. Throws std::runtime_error for what is no number.
  static SweepSettings from_environment();
};

/// Bytes of memory that the host has left; empty where the system does not tell.
std::optional<std::uint64_t> available_host_memory();

}  // namespace tessera::test
