// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>

namespace tessera::io {

inline constexpr std::uint64_t default_threads = 16;

/// Calls work(first, count) for blocks of [0, total) on a few threads, including this one.
/// @param report is called on this thread with the number of elements done
/// @param most_threads 1: in order
/// @throws the first exception, after all threads have ended
void parallel_blocks(std::uint64_t total, std::uint64_t block,
                     std::function<void(std::uint64_t first, std::uint64_t count)> const& work,
                     std::function<void(std::uint64_t done)> const& report,
                     std::uint64_t most_threads = default_threads);

}  // namespace tessera::io
