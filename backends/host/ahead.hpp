// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/avx512.hpp>
#include <tessera/backends/host/cache.hpp>
#include <tessera/backends/host/simd.hpp>
#include <tessera/order/lines.hpp>

/// How a host thread walks lines and prefetches.
namespace tessera::detail {

struct Walk {
  Index ahead = 0;        ///< elements to prefetch ahead; 0: no prefetch
  bool in_cache = false;  ///< lines are fast to read in any order
  Index of_next = 0;      ///< elements per line to prefetch while adding
  bool avx512 = false;
};

template <class T>
Walk walk_of(Lines<T> const& lines) {
  constexpr Index size = sizeof(T);
  Index const line_bytes = lines.length * size;
  Index const bytes = lines.count * line_bytes;
  return {.ahead = backends::host::prefetch_distance(line_bytes, bytes) / size,
          .in_cache = backends::host::stays_in_cache(bytes),
          .of_next = backends::host::next_step_bytes(line_bytes, bytes) / size,
          .avx512 = backends::host::avx512::available()};
}

struct NothingAhead {
  KOKKOS_FORCEINLINE_FUNCTION void fetch(int /*r*/, Index /*j*/, Index /*length*/) const {}
};

template <class T>
KOKKOS_FORCEINLINE_FUNCTION void ask_for(T const* from, Index length) {
  constexpr Index at_a_time = 64 / static_cast<Index>(sizeof(T));
  for (Index k = 0; k < length; k += at_a_time) backends::host::prefetch(from + k);
}

/// Prefetches `limit` elements of each line of the next step, from `first`, while the current step
/// is added.
template <class T>
struct NextStep {
  Lines<T> const& lines;
  Index first = 0;
  Index limit = 0;
  KOKKOS_FORCEINLINE_FUNCTION void fetch(int r, Index j, Index length) const {
    if (j < limit && first + r < lines.count) ask_for(lines.line(first + r) + j, length);
  }
};

/// Prefetches in `count` lines at a time: the hardware prefetcher works only within a page.
template <class T>
class Ahead {
 public:
  KOKKOS_FORCEINLINE_FUNCTION Ahead(Lines<T> const& lines, Index first, int count, Index begin,
                                    Index end, Index distance)
      : lines_(lines), near_(first * lines.leading + distance), turn_(end - distance) {
    Index const span = end - begin;
    if (distance < span) {
      far_ = (first + count) * lines.leading + distance - span;
    } else {
      far_ = (first + summation::ceil_div(distance, span) * count) * lines.leading;
      turn_ = begin;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void fetch(int r, Index j, Index length) const {
    Index const all = (lines_.count - 1) * lines_.leading + lines_.length;
    Index const place = (j < turn_ ? near_ : far_) + r * lines_.leading + j;
    if (place + length <= all) ask_for(lines_.data + place, length);
  }

 private:
  Lines<T> const& lines_;
  Index near_;
  Index far_;
  Index turn_;
};

}  // namespace tessera::detail
