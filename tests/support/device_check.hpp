// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tessera::test {

/// Why Kokkos cannot start on this machine, or nothing. A build with CUDA needs a GPU for whatever
/// it does, and Kokkos::initialize ends the process where there is none: it is asked before.
/// device_check_cuda.cpp and device_check_host.cpp each implement it, and a build has one of them.
std::string why_no_device();

}  // namespace tessera::test
