// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

namespace tessera::app {

/// Whether an mpirun has started this process, by what each of them sets.
inline bool is_started_by_mpirun() {
  std::initializer_list<char const*> const names{"OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMIX_RANK"};
  return std::ranges::any_of(names, [](char const* name) { return std::getenv(name) != nullptr; });
}

}  // namespace tessera::app
