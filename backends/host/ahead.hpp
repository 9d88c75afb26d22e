// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/backends/host/avx512.hpp>
#include <tessera/backends/host/cache.hpp>
#include <tessera/backends/host/simd.hpp>
#include <tessera/order/lines.hpp>

/// How a host's thread walks lines, and what it asks memory for before it needs it.
namespace tessera::detail {

/// How threads walk lines.
struct Walk {
  Index ahead = 0;        ///< how far ahead dot products ask for lines, in elements; 0: not
  bool in_cache = false;  ///< lines come from a cache, which puts up with any order
  Index of_next = 0;    ///< elements of each line of the next step asked for while lines are added
  bool avx512 = false;  ///< with AVX-512, where lines are not asked for
};

/// How a host's threads walk the lines of a matrix.
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

/// A thread asks for nothing.
struct NothingAhead {
  KOKKOS_FORCEINLINE_FUNCTION void fetch(int /*r*/, Index /*j*/, Index /*length*/) const {}
};

/// Asks memory for `length` elements from a place on.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void ask_for(T const* from, Index length) {
  constexpr Index at_a_time = 64 / static_cast<Index>(sizeof(T));
  for (Index k = 0; k < length; k += at_a_time) backends::host::prefetch(from + k);
}

/// What a thread that adds lines will multiply next: it asks for the lines from `first` on, for
/// `limit` elements of each; 0: for nothing.
template <class T>
struct NextStep {
  Lines<T> const& lines;
  Index first = 0;
  Index limit = 0;
  /// Asks for elements [j, j + length) of line first + r, where there is one.
  KOKKOS_FORCEINLINE_FUNCTION void fetch(int r, Index j, Index length) const {
    if (j < limit && first + r < lines.count) ask_for(lines.line(first + r) + j, length);
  }
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
    Index const all = (lines_.count - 1) * lines_.leading + lines_.length;
    Index const place = (j < turn_ ? near_ : far_) + r * lines_.leading + j;
    if (place + length <= all) ask_for(lines_.data + place, length);
  }

 private:
  Lines<T> const& lines_;
  Index near_;
  Index far_;  // from element turn_ on: of a later line
  Index turn_;
};

}  // namespace tessera::detail
