// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tessera/backends/host/processor.hpp>
#include <tessera/summation.hpp>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace tessera::backends::host {

/// Bytes shared by cores; a usual size if unknown.
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

/// Bytes up to which starting several teams per thread is noticeable.
inline constexpr summation::Index small_bytes = 8 * 1024 * 1024;

/// True if the last-level cache does not hold most of it.
inline bool comes_from_memory(summation::Index bytes) {
  return bytes > last_cache_bytes() + last_cache_bytes() / 2;
}

/// Whether software prefetch pays. Evidence: host-asking.
inline bool asks_memory(summation::Index bytes) {
  return profile().asks_memory && comes_from_memory(bytes);
}

/// Whether hardware prefetch suffices: it is fastest for long lines.
inline bool foreseen(summation::Index line_bytes) {
  return line_bytes > 32 * 1024;
}

/// Bytes; 0: no prefetch. Evidence: host-distance.
inline summation::Index prefetch_distance(summation::Index line_bytes, summation::Index bytes) {
  constexpr summation::Index best = 8 * 1024;
  return asks_memory(bytes) && !foreseen(line_bytes) ? best : 0;
}

/// Bytes of each line of fused ATAX's next step to prefetch while a core adds and reads nothing.
/// See docs/decisions/prefetching-on-hosts.md. Evidence: host-next-step.
inline summation::Index next_step_bytes(summation::Index line_bytes, summation::Index bytes) {
  constexpr summation::Index beginning = 2 * 1024;
  if (!asks_memory(bytes) || line_bytes <= 1024) return 0;
  return foreseen(line_bytes) ? beginning : line_bytes;
}

/// Whether any order of reads is fast. Evidence: host-any-order.
inline bool stays_in_cache(summation::Index bytes) {
  return bytes <= last_cache_bytes() / profile().forward_from;
}

}  // namespace tessera::backends::host
