// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/cache.hpp>
#include <tessera/backends/host/simd.hpp>
#include <tessera/detail/lines.hpp>

/// How a host's thread walks lines, and what it asks memory for before it needs it.
namespace tessera::detail {

/// How threads walk lines for dot products.
struct Walk {
  Index ahead = 0;        ///< how far ahead they ask for lines, in elements; 0: not
  bool in_cache = false;  ///< lines come from a cache, which puts up with any order
};

/// How a host's threads walk the lines of a matrix.
template <class T>
Walk walk_of(Lines<T> const& lines) {
  constexpr Index size = sizeof(T);
  Index const bytes = lines.count * lines.length * size;
  return {.ahead = backends::host::prefetch_distance(bytes) / size,
          .in_cache = backends::host::stays_in_cache(bytes)};
}

/// A thread asks for nothing.
struct NothingAhead {
  KOKKOS_FORCEINLINE_FUNCTION void fetch(int /*r*/, Index /*j*/, Index /*length*/) const {}
};

/// What a thread that goes over lines, `count` at a time, will need next: it asks for that so early
/// that memory has it ready, which processors do by themselves within a page only.
template <class T>
class Ahead {
 public:
  /// For elements [begin, end) of lines from `first` on; `distance` is in elements.
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
  /// Asks for what follows elements [j, j + length) of line first + r, where anything does.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(int r, Index j, Index length) const {
    constexpr Index at_a_time = 64 / static_cast<Index>(sizeof(T));
    Index const all = (lines_.count - 1) * lines_.leading + lines_.length;
    Index const place = (j < turn_ ? near_ : far_) + r * lines_.leading + j;
    if (place + length > all) return;
    for (Index k = 0; k < length; k += at_a_time) {
      backends::host::prefetch(lines_.data + place + k);
    }
  }

 private:
  Lines<T> const& lines_;
  Index near_;
  Index far_;  // from element turn_ on: of a later line
  Index turn_;
};

}  // namespace tessera::detail
