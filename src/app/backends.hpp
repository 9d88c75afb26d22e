// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <app/operations.hpp>

namespace tessera::app {

/// The word for a choice on the command line; of a backend, its name in the library.
[[nodiscard]] std::string_view to_string(BackendChoice choice);

/// A backend that this program was built with, on the machine that it runs on.
struct BackendFacts {
  BackendChoice choice;
  std::string name;
  std::string device;              ///< "AMD EPYC 9654, 2 threads"
  int concurrency = 0;             ///< threads
  std::size_t scratch_level0 = 0;  ///< bytes that a team can have in fast scratch memory
  std::size_t scratch_level1 = 0;  ///< bytes that a team can have in slow scratch memory
};

/// All backends of this build, the best first. Kokkos must be initialised.
[[nodiscard]] std::vector<BackendFacts> enabled_backends();

/// The backend that a choice stands for: the best one for `automatic`.
/// @throws Failure resources when it is not in this build
[[nodiscard]] BackendFacts choose_backend(BackendChoice choice);

}  // namespace tessera::app
