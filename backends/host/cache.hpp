// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tessera/summation.hpp>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

/// The caches of this machine's processor.
namespace tessera::backends::host {

/// Bytes of the cache for data of level 1 or 3; `usual` where the system does not say.
inline summation::Index cache_bytes([[maybe_unused]] int level, summation::Index usual) {
#if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL3_CACHE_SIZE)
  long const found = ::sysconf(level == 1 ? _SC_LEVEL1_DCACHE_SIZE : _SC_LEVEL3_CACHE_SIZE);
  if (found > 0) return found;
#endif
  return usual;
}

/// Bytes of a core's first cache for data.
inline summation::Index first_cache_bytes() {
  static summation::Index const found = cache_bytes(1, 32 * 1024);
  return found;
}

/// Bytes of the last cache, which cores share.
inline summation::Index last_cache_bytes() {
  static summation::Index const found = cache_bytes(3, 32 * 1024 * 1024);
  return found;
}

/// Whether a core's first cache has more than the 32 KiB that are usual: what tells processors
/// apart that want lines walked differently, measured as Zen 5 (48 KiB) and Zen 3 (32 KiB).
inline bool large_first_cache() {
  return first_cache_bytes() > 32 * 1024;
}

/// How far ahead a thread asks for the lines of a matrix of so many bytes, in bytes; 0: not. What
/// the last cache holds most of comes soon enough. A v, 2 threads, single runs on shared machines.
/// Zen 5 (48 KiB L1), without | 4 | 8 KiB ahead; over OpenBLAS: 12345 x 6789 0.83 1.02 1.13, 5000 x
/// 5000 0.85 0.96 1.17, 262144 x 1000 0.62 0.90 0.98, 16384 x 16384 1.05 1.07 1.05; GB/s: 4096 x
/// 4096 73 60 77; in cache, 1024 x 1024 158 - 151. Zen 3 (32 KiB) foresees by itself, and what is
/// asked for takes the place of that, over OpenBLAS: 4096 x 4096 0.94 0.76 0.78, 12345 x 6789 1.18
/// 0.91 0.93, 4096 x 65536 1.09 0.93 0.93; fused 16384 x 16384 1.50 - 1.30.
inline summation::Index prefetch_distance(summation::Index bytes) {
  constexpr summation::Index best = 8 * 1024;
  return large_first_cache() && 2 * bytes > 3 * last_cache_bytes() ? best : 0;
}

/// Whether fused ATAX asks for the lines of its next step while it adds those of the present one:
/// a core of Zen 5 reads 33 GB/s, whether another one reads or not, and a core that adds reads
/// nothing otherwise. Over two OpenBLAS gemv, 2 threads of Zen 5, without | with that (and with as
/// many lines a step as are best for each): 16384 x 16384 1.74 1.84, 65536 x 4096 1.60 1.85, 262144
/// x 1024 1.61 1.90, 4096 x 65536 1.65 1.82, 12345 x 6789 1.47 1.73, 4096 x 4096 1.44 1.77, 100000
/// x 1000 1.62 1.87, 200000 x 512 1.83 1.92; double 12345 x 6789 1.73 1.96, 4096 x 65536 1.43 1.57,
/// 16384 x 16384 1.65 1.81. Short lines are under way anyway: 1048576 x 256 2.09 2.15 (double 2.79
/// 2.74), 1000000 x 100 2.43 1.81.
inline bool prefetches_next_step(summation::Index line_bytes, summation::Index bytes) {
  return prefetch_distance(bytes) > 0 && line_bytes > 1024;
}

/// Whether a matrix of so many bytes is read from caches as fast in any order as forward. A v,
/// OpenBLAS over ours, 2 threads of Zen 3 (32 MiB), two runs; four lines forward | by pairs of
/// packs (whole_segments_by_pairs):
///   512 x 512: 1.43 1.58, 1.39 1.52;  1000 x 1000: 0.81 0.85, 0.90 0.94
///   1024 x 1024: 0.84 0.89, 0.81 0.86;  1400 x 1400: 0.92 0.96, 0.80 0.84
///   double, 256 x 256: 1.19 1.35, 1.30 1.43;  700 x 700: 0.84 0.88, 0.79 0.83
///   2048 x 2048: 0.97 0.97, 0.94 0.89;  double: 0.75 0.69, 0.86 0.77
///   4096 x 4096: 0.90 0.78, 0.81 0.74;  65536 x 4096: 0.93 0.91, 0.93 0.84
/// Zen 5 (32 MiB), two runs:
///   512 x 512: 1.75 2.11, 1.48 1.71;  1024 x 1024: 0.83 0.91, 0.82 0.83
///   1600 x 1600: 0.78 0.87, 0.79 0.88;  2048 x 2048: 0.83 0.92, 0.85 0.93
///   2500 x 2500: 0.85 0.89, 0.90 0.93;  double: 2048 x 2048: 0.74 0.91, 0.76 0.88
///   fused, 1400 x 1400: 1.09 1.11, 1.08 1.11;  2048 x 2048: 1.09 1.22, 1.09 1.21
///   fused, 2896 x 2896: 1.58 1.66, 1.56 1.62
inline bool stays_in_cache(summation::Index bytes) {
  return bytes <= (large_first_cache() ? last_cache_bytes() : last_cache_bytes() / 4);
}

}  // namespace tessera::backends::host
