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

/// The result of a run in a separate process.
struct ApartResult {
  std::vector<std::byte> bytes;  ///< the bytes that the work has sent
  std::string trouble;           ///< why it did not end normally; empty: it did
  bool started = true;           ///< false: no process could be started; `trouble` has the reason
};

/// Sends bytes from the separate process to this one.
using Send = std::function<void(std::span<std::byte const>)>;

/// Most bytes that the separate process may send, and may use in addition to this one's memory.
inline constexpr std::uint64_t most_apart = std::uint64_t{1} << 30U;

/// Runs `work` in a forked process and returns the bytes it sends. A library that it calls may
/// crash on a damaged file. The process prints nothing on stderr, and may use a minute of processor
/// time and a GiB more of memory than this one. The work must not use threads, Kokkos or a device.
/// @param most_bytes a process that sends more is killed, and `trouble` has the reason
/// @throws std::bad_alloc if memory for the bytes runs out; the process has ended then
[[nodiscard]] ApartResult run_apart(std::function<void(Send const&)> const& work,
                                    std::uint64_t most_bytes = most_apart);

/// Kills the separate process that runs now, if any, and waits for its end, so that it writes
/// nothing more. For signal handlers.
void end_apart() noexcept;

}  // namespace tessera::io
