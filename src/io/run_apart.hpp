// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tessera::io {

/// How a run in a process apart ended.
struct ApartResult {
  std::vector<std::byte> bytes;  ///< what the work has sent
  std::string trouble;           ///< why it did not end by itself; empty: it did
};

/// Sends bytes from the process apart to this one.
using Send = std::function<void(std::span<std::byte const>)>;

/// Runs `work` in a forked process, so that a library that it calls may die of a damaged file, and
/// returns what it sends. The process says nothing on stderr, and has a minute of processor time
/// and a GiB more of memory than this one. The work must not use threads, Kokkos or a device.
[[nodiscard]] ApartResult run_apart(std::function<void(Send const&)> const& work);

}  // namespace tessera::io
