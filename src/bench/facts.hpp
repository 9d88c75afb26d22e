// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bench/machine.hpp>
#include <string>

namespace tessera::bench {

/// What a report says of this build and of the device of a backend, as (name, value): version,
/// commit, Kokkos, compiler, peers, execution space, threads, and what is known of a GPU.
Facts facts_of(std::string const& backend);

}  // namespace tessera::bench
