// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/machine.hpp>
#include <string>

namespace tessera::bench {

/// Facts about this build and the device of a backend for a report, as (name, value): version,
/// commit, Kokkos, compiler, peers, execution space, threads, and properties of a GPU.
Facts facts_of(std::string const& backend);

}  // namespace tessera::bench
