// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tessera::io {

/// How a run in a process apart ended.
struct ApartResult {
  std::vector<std::byte> bytes;  ///< what the work has sent
  std::string trouble;           ///< why it did not end by itself; empty: it did
  bool started = true;           ///< false: there was no process to be had, and trouble says why
};

/// Sends bytes from the process apart to this one.
using Send = std::function<void(std::span<std::byte const>)>;

/// Bytes that a process apart may have in memory more than this one, and may send.
inline constexpr std::uint64_t most_apart = std::uint64_t{1} << 30U;

/// Runs `work` in a forked process, so that a library that it calls may die of a damaged file, and
/// returns what it sends. The process says nothing on stderr, and has a minute of processor time
/// and a GiB more of memory than this one. The work must not use threads, Kokkos or a device.
/// @param most_bytes a process that sends more is ended, and that is its trouble
/// @throws std::bad_alloc where there is no memory for what is sent; the process has ended then,
/// too
[[nodiscard]] ApartResult run_apart(std::function<void(Send const&)> const& work,
                                    std::uint64_t most_bytes = most_apart);

/// Ends the process apart that runs now, if there is one, and waits for its end: what it would have
/// written is not written any more. For handlers of signals.
void end_apart() noexcept;

}  // namespace tessera::io
