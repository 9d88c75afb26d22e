// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

/// Kokkos within a Python process.
namespace tessera::python {

/// How many threads work on the host; with a number, from then on so many. Throws
/// std::invalid_argument for a number that is less than one, or more than Kokkos has.
int threads(std::optional<int> wanted);

/// Whether Kokkos runs.
bool is_running();

/// Ends Kokkos where this module started it. Later calls are refused. A call of another thread that
/// does not end in a few seconds is left alone, and Kokkos with it.
void finish();

/// What this module was built with.
std::string kokkos_version();
std::string host_backend();
bool has_gpu_backend();

}  // namespace tessera::python
