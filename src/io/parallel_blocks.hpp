// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>

namespace tessera::io {

/// Threads that read a file or work on its elements, at most.
inline constexpr std::uint64_t default_threads = 16;

/// Calls work(first, count) for the blocks of [0, total) from a few threads, this one among them.
/// @param report called from this thread now and then with the elements done; may be empty
/// @param most_threads 1: the blocks come in order
/// @throws the first exception that any of the calls threw, after all threads have ended
void parallel_blocks(std::uint64_t total, std::uint64_t block,
                     std::function<void(std::uint64_t first, std::uint64_t count)> const& work,
                     std::function<void(std::uint64_t done)> const& report,
                     std::uint64_t most_threads = default_threads);

}  // namespace tessera::io
