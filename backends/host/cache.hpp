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

/// Up to this size a matrix is read from caches so fast that starting more than one team a thread
/// would show.
inline constexpr summation::Index small_bytes = 8 * 1024 * 1024;

/// Whether most of a matrix of so many bytes comes from memory: the last cache does not hold it.
inline bool comes_from_memory(summation::Index bytes) {
  return bytes > last_cache_bytes() + last_cache_bytes() / 2;
}

/// Whether threads ask memory for the lines of a matrix of so many bytes: where that pays, which it
/// does on Zen 5 (48 KiB L1). Zen 3 (32 KiB) foresees by itself, and what is asked for takes the
/// place of that. A v over OpenBLAS, 2 threads, not asked for | 4 | 8 KiB ahead: 4096 x 4096 0.94
/// 0.76 0.78, 12345 x 6789 1.18 0.91 0.93, 4096 x 65536 1.09 0.93 0.93; fused 16384 x 16384 1.50
/// - 1.30.
inline bool asks_memory(summation::Index bytes) {
  return large_first_cache() && comes_from_memory(bytes);
}

/// Whether lines of so many bytes come from memory fastest as Zen 5 foresees them, which it does
/// the better the longer they are and the more of them go side by side: up to 40 GB/s a core from
/// four long lines, where it delivers 33 of what is asked for.
inline bool foreseen(summation::Index line_bytes) {
  return line_bytes > 32 * 1024;
}

/// How far ahead a thread asks for the lines of a matrix, in bytes; 0: not. A v over OpenBLAS, 2
/// threads of Zen 5, not asked for | 4 | 8 KiB ahead: 12345 x 6789 0.83 1.02 1.13, 5000 x 5000 0.85
/// 0.96 1.17, 262144 x 1000 0.62 0.90 0.98; GB/s: 4096 x 4096 73 60 77; in cache, 1024 x 1024 158 -
/// 151. Four lines at a time not asked for | one or two 8 KiB ahead: 65536 x 4096 0.88 0.96, double
/// 1.01 0.95; 12345 x 6789 1.03 1.09, double 1.25 1.13; 16384 x 16384 1.04 0.94, double 1.26 1.11;
/// 4096 x 65536 1.12 0.96, double 1.11 1.07.
inline summation::Index prefetch_distance(summation::Index line_bytes, summation::Index bytes) {
  constexpr summation::Index best = 8 * 1024;
  return asks_memory(bytes) && !foreseen(line_bytes) ? best : 0;
}

/// How much of each line of its next step fused ATAX asks for while it adds those of the present
/// one, in bytes: a core reads nothing otherwise while it adds. Over two OpenBLAS gemv, 2 threads
/// of Zen 5, without | with that (and with as many lines a step as are best for each): 65536 x 4096
/// 1.60 1.85, 262144 x 1024 1.61 1.90, 12345 x 6789 1.47 1.73, 4096 x 4096 1.44 1.77, 100000 x 1000
/// 1.62 1.87, 200000 x 512 1.83 1.92. Short lines are under way anyway: 1048576 x 256 2.09 2.15
/// (double 2.79 2.74), 1000000 x 100 2.43 1.81. Of lines that are foreseen the beginning is enough;
/// all of two lines, dot products asking ahead | nothing of four | 2 | 4 | 16 KiB of four:
/// 16384 x 16384 1.74 1.92 1.94 1.94 1.84, double 1.77 1.74 1.84 1.91 1.71; 4096 x 65536 1.42 1.51
/// 1.54 1.53 1.52, double 1.40 1.41 1.42 1.43 1.42; 20000 x 12000 1.73 1.83 1.83 1.81 -; 10000 x
/// 10000 1.66 1.70 1.71 1.69 -; double 12345 x 6789 1.82 1.86 1.89 1.84 -.
inline summation::Index next_step_bytes(summation::Index line_bytes, summation::Index bytes) {
  constexpr summation::Index beginning = 2 * 1024;
  if (!asks_memory(bytes) || line_bytes <= 1024) return 0;
  return foreseen(line_bytes) ? beginning : line_bytes;
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
