// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>

namespace tessera::io {

/// Most threads that read a file or process its elements.
inline constexpr std::uint64_t default_threads = 16;

/// Calls work(first, count) for the blocks of [0, total) from a few threads, including this one.
/// @param report called repeatedly from this thread with the elements done; may be empty
/// @param most_threads 1: the blocks are processed in order
/// @throws the first exception of any call, after all threads have ended
void parallel_blocks(std::uint64_t total, std::uint64_t block,
                     std::function<void(std::uint64_t first, std::uint64_t count)> const& work,
                     std::function<void(std::uint64_t done)> const& report,
                     std::uint64_t most_threads = default_threads);

}  // namespace tessera::io
