// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace tessera::app {

/// The host processor, as the operating system names it.
struct Processor {
  std::string name;          ///< "unknown" where nothing says
  std::string instructions;  ///< those that matter here: "avx2 fma avx512f", or "unknown"
};
[[nodiscard]] Processor host_processor();

}  // namespace tessera::app
