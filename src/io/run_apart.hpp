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

struct ApartResult {
  std::vector<std::byte> bytes;
  std::string trouble;  ///< why it did not end normally; may be empty
  bool started = true;
};

using Send = std::function<void(std::span<std::byte const>)>;

/// Limit of what it sends, and of its further memory.
inline constexpr std::uint64_t most_apart = std::uint64_t{1} << 30U;

/// Runs `work` in a forked process, because a library may crash on a damaged file. It prints
/// nothing, may use a minute of processor time, and ends with this process. `work` uses no threads,
/// Kokkos or device.
/// @param most_bytes a process that sends more is killed
[[nodiscard]] ApartResult run_apart(std::function<void(Send const&)> const& work,
                                    std::uint64_t most_bytes = most_apart);

/// For signal handlers: kills the process and waits for it.
void end_apart() noexcept;

}  // namespace tessera::io
