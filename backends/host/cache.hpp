// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tessera/backends/host/processor.hpp>
#include <tessera/summation.hpp>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

/// The caches of this machine's processor.
namespace tessera::backends::host {

/// Bytes of the last cache, which cores share; what is usual where the system does not say.
inline summation::Index last_cache_bytes() {
  static summation::Index const bytes = [] {
#ifdef _SC_LEVEL3_CACHE_SIZE
    long const found = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (found > 0) return summation::Index{found};
#endif
    return summation::Index{32 * 1024 * 1024};
  }();
  return bytes;
}

/// Up to this size a matrix is read from caches so fast that starting more than one team a thread
/// would show.
inline constexpr summation::Index small_bytes = 8 * 1024 * 1024;

/// Whether most of a matrix of so many bytes comes from memory: the last cache does not hold it.
inline bool comes_from_memory(summation::Index bytes) {
  return bytes > last_cache_bytes() + last_cache_bytes() / 2;
}

/// Whether threads ask memory for the lines of a matrix of so many bytes. Evidence: host-asking.
inline bool asks_memory(summation::Index bytes) {
  return profile().asks_memory && comes_from_memory(bytes);
}

/// Whether lines of so many bytes come from memory fastest as a processor foresees them, which it
/// does the better the longer they are and the more of them go side by side.
inline bool foreseen(summation::Index line_bytes) {
  return line_bytes > 32 * 1024;
}

/// How far ahead a thread asks for the lines of a matrix, in bytes; 0: not.
/// Evidence: host-distance.
inline summation::Index prefetch_distance(summation::Index line_bytes, summation::Index bytes) {
  constexpr summation::Index best = 8 * 1024;
  return asks_memory(bytes) && !foreseen(line_bytes) ? best : 0;
}

/// How much of each line of its next step fused ATAX asks for while it adds those of the present
/// one, in bytes: a core reads nothing otherwise while it adds. Short lines are under way anyway;
/// of lines that are foreseen the beginning is enough. Evidence: host-next-step.
inline summation::Index next_step_bytes(summation::Index line_bytes, summation::Index bytes) {
  constexpr summation::Index beginning = 2 * 1024;
  if (!asks_memory(bytes) || line_bytes <= 1024) return 0;
  return foreseen(line_bytes) ? beginning : line_bytes;
}

/// Whether a matrix of so many bytes is read from caches as fast in any order as forward.
/// Evidence: host-any-order.
inline bool stays_in_cache(summation::Index bytes) {
  return bytes <= last_cache_bytes() / profile().forward_from;
}

}  // namespace tessera::backends::host
