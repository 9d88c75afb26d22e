// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/gpu/combine.hpp>
#include <tessera/backends/gpu/teams.hpp>
#include <tessera/order/blocks.hpp>
#include <tessera/tuning.hpp>

namespace tessera::detail::gpu {

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// Maps panels to teams by the length of lines.
/// A thread of a ring holds as many sums for one vector as for two.
inline constexpr int most_ring_columns = 2;
inline constexpr int ring_spans(int columns) {
  return most_ring_columns / columns;
}
template <class T>
using RingStack = WordStack<most_ring_columns * segment_words, T, true>;

template <class Exec, class T>
struct FusedLinesPlan {
  using Ring = decltype(backends::Backend<Exec>::template ring<T>({}, 0, true));
  enum class Way {
    sixteen,  ///< one segment: sixteen threads per panel
    warp,     ///< two segments: a warp per panel
    team,     ///< longer lines: a team per panel, one or two spans per warp
    ring,     ///< a team or cluster per panel; lines wait in scratch
    parts,    ///< several teams per panel, by columns
  };
  static constexpr int small_team = 128;    ///< threads of a team with several panels
  static constexpr int largest_team = 512;  ///< most threads of a team with one panel
  static constexpr int team_rows(int spans_per_warp) {
    return spans_per_warp == 1 && sizeof(T) == 4 ? 2 : 1;
  }
  static constexpr int narrow_team_rows = WarpOf<Exec>::has_large_scratch ? 1 : 2;
  /// With small scratch, registers do not suffice to load two spans ahead.
  static constexpr int most_spans_per_warp = WarpOf<Exec>::has_large_scratch ? 2 : 1;
  static constexpr int team_buffers = WarpOf<Exec>::has_large_scratch ? 2 : 1;
  static constexpr int part_warps = 4;
  static constexpr Index most_parts = 128;  ///< teams that share a line: four per thread of a warp
  /// Lines whose dot products are being exchanged.
  static constexpr int part_slots = WarpOf<Exec>::has_large_scratch ? 5 : 2;
  static constexpr Index spans_of_team = most_spans_per_warp * (largest_team / warp_threads);

  static constexpr int ring_team = 512;
  static constexpr Index elements_of_ring =
      Index{ring_team} / warp_threads * ring_spans(1) * span<T>;  ///< of a line, per team
  /// Bytes of a row of memory. Copies between equal offsets in rows are fast.
  static constexpr int ring_row = 128;
  /// As many bytes in flight for all elements.
  static constexpr int ring_most_slots(int element_bytes) {
    return 2 * static_cast<int>(sizeof(T)) / element_bytes;
  }
  static constexpr int ring_sums = 2;  ///< lines whose dot products are in scratch
  /// Arrival signals for sums, and for each warp's pieces.
  static constexpr int ring_arrival_bytes(int element_bytes) {
    return (ring_sums + ring_team / warp_threads * ring_most_slots(element_bytes)) * 8;
  }
  static constexpr int ring_dots(Index teams) { return (teams > 2 ? 2 : 1) * warp_threads; }
  static constexpr int ring_fixed_bytes(Index teams, int element_bytes, int columns) {
    int const bytes = ring_arrival_bytes(element_bytes) +
                      ring_sums * columns * ring_dots(teams) * static_cast<int>(sizeof(T));
    return (bytes + ring_row - 1) / ring_row * ring_row;
  }
  summation::Panels panels;
  int element_bytes;
  int columns;  ///< vectors that a ring computes at once: 1 or 2
  bool on_words;
  bool on_rows;  ///< lines begin on rows of ring_row bytes
  Ring ring;
  Way way;
  int spans_per_warp;
  int team_size;
  int workers;              ///< panels per team at a time
  Index parts;              ///< teams that share a line
  Index panels_per_worker;  ///< a power of two
  Index panels_per_team;
  Index groups;
  int scratch_parts = 0;  ///< parts of a ring thread's stack in scratch

  /// Whether a team, or several that meet, can hold a line in registers.
  static bool takes(Exec const& exec, Lines<T> const& lines) {
    Index const teams = std::min(most_parts, backends::Backend<Exec>::teams_that_meet(exec));
    return summation::ceil_div(lines.length, span<T>) <=
           std::max(spans_of_team, part_warps * teams);
  }
  template <class Data>
  FusedLinesPlan(Exec const& exec, Lines<T, Data> const& lines, Tuning const& tuning,
                 int vectors = 1)
      : panels(lines.panels()),
        element_bytes(bytes_of_element(lines.data)),
        columns(vectors),
        on_words(is_aligned(lines)),
        on_rows(address_of(lines.data) % ring_row == 0 &&
                lines.leading % (ring_row / element_bytes) == 0),
        ring(backends::Backend<Exec>::template ring<T>(panels, lines.length, on_words, columns,
                                                       element_bytes)),
        spans_per_warp(1),
        workers(1),
        parts(1) {
    Index const spans = summation::ceil_div(lines.length, span<T>);
    if (lines.length <= summation::segment<T>) {
      way = Way::sixteen;
      team_size = small_team;
      workers = small_team / segment_threads;
    } else if (spans == 1) {
      way = Way::warp;
      team_size = small_team;
      workers = small_team / warp_threads;
    } else if (has_ring(exec)) {
      way = Way::ring;
      spans_per_warp = ring_spans(columns);
      team_size = warp_threads * ring.warps;
      parts = ring.teams;
    } else if (spans <= spans_of_team) {
      way = Way::team;
      spans_per_warp = spans <= largest_team / warp_threads ? 1 : 2;
      team_size = warp_threads * static_cast<int>(summation::ceil_div(spans, spans_per_warp));
    } else {
      way = Way::parts;
      team_size = warp_threads * part_warps;
      parts = summation::ceil_div(spans, Index{part_warps});
    }
    Index const most = ceil_power_of_two(panels.count);
    Index const asked = tuning.fused_lines.panels_per_team;
    Index const wanted = asked < most ? std::min(panels_wanted(asked, lines.length), most) : most;
    Index const most_of_worker = floor_power_of_two(most_lines_in_turn / panels.lines);
    panels_per_worker = std::clamp(wanted / static_cast<Index>(workers), Index{1}, most_of_worker);
    panels_per_team = panels_per_worker * workers;
    groups = summation::ceil_div(panels.count, panels_per_team);
    if (way == Way::ring) {
      // As many bytes in flight as with scalars.
      ring.slots *= static_cast<int>(sizeof(T)) / element_bytes;
      scratch_parts = parts_in_scratch(exec);
    }
  }

  /// Includes room for the offset of a piece in its row of memory.
  [[nodiscard]] int ring_piece_words() const {
    return ring_spans(columns) * span<T> * element_bytes / 16 + (on_rows ? 0 : ring_row / 16);
  }
  [[nodiscard]] Index teams() const { return groups * parts; }
  [[nodiscard]] int words(auto const& lines) const {
    if (way == Way::team || way == Way::ring) return spans_per_warp * segment_words;
    return words_of_segment<T>(lines.length);
  }
  [[nodiscard]] int levels() const { return stack_levels(panels_per_worker); }
  [[nodiscard]] Index partials(auto const& lines) const {
    return groups == 1 ? 0 : whole_words<T>(groups * columns * lines.length);
  }
  [[nodiscard]] Index stacks(auto const& lines) const {
    Index const words_of_thread =
        levels() * columns * words(lines) - scratch_parts * RingStack<T>::part;
    return teams() * words_of_thread * team_size * word_width<T>;
  }
  [[nodiscard]] Index exchanged(auto const& lines) const {
    return way == Way::parts ? lines.count * parts : 0;
  }
  [[nodiscard]] Index workspace(auto const& lines) const { return partials(lines) + stacks(lines); }
  [[nodiscard]] Index scratch(auto const& lines) const {
    switch (way) {
      case Way::sixteen:
      case Way::warp:
        return workers * lines.length;
      case Way::team:
        return 2 * team_rows(spans_per_warp) * warp_threads;  // (buffers, lines, warps)
      case Way::ring:
        return ring_scratch(scratch_parts);
      case Way::parts:
        break;
    }
    return part_slots * segment_words * team_size * word_width<T> + 2 * (part_warps + 1);
  }

 private:
  /// Scalars for signals, dot products, lines and sums of panels.
  [[nodiscard]] Index ring_scratch(int stack_parts) const {
    Index const words =
        ring.slots * ring_piece_words() + Index{stack_parts} * RingStack<T>::part * warp_threads;
    return ring_fixed_bytes(ring.teams, element_bytes, columns) / static_cast<Index>(sizeof(T)) +
           words * ring.warps * word_width<T>;
  }
  /// A tuning assumes scalars that start on words; otherwise a multiprocessor may run other rings,
  /// or teams with one line each.
  [[nodiscard]] Index panels_wanted(Index asked, Index length) const {
    Ring const supposed = backends::Backend<Exec>::template ring<T>(panels, length, true, columns);
    Index const wanted = asked * supposed.side_by_side;
    if (way == Way::ring && (!on_words || element_bytes < static_cast<int>(sizeof(T)))) {
      return ceil_power_of_two(
          summation::ceil_div(wanted * ring.teams, supposed.teams * ring.side_by_side));
    }
    bool const had_clusters = way != Way::ring && supposed.teams > 1;
    return had_clusters ? ceil_power_of_two(wanted / supposed.teams) : asked;
  }
  [[nodiscard]] bool has_room(Exec const& exec, int stack_parts) const {
    return teams_with_scratch(exec, scratch_bytes<T>(ring_scratch(stack_parts))) >=
           ring.side_by_side;
  }
  [[nodiscard]] bool has_ring(Exec const& exec) const {
    return ring.teams > 0 && has_room(exec, 0);
  }
  [[nodiscard]] int parts_in_scratch(Exec const& exec) const {
    int result = 0;
    while (result < levels() * RingStack<T>::parts_of_level && has_room(exec, result + 1)) ++result;
    return result;
  }
};

template <class E, class Element, class Factor, class Data = Element const*,
          class Block = OneColumn>
struct FusedArguments {
  using Exec = E;
  using T = Element;
  Lines<T, Data> lines;
  InputOf<T, Block> x;
  OutputOf<T, Block> y;
  OutputOf<T, Block> out;
  T* partials;
  Word<T>* stacks;
  BitsOf<T>* exchanged;
  int* arrivals;
  summation::Panels panels;
  Index parts;
  Index panels_per_worker;
  Index groups;
  int levels;
  Index scratch;
  Factor factor;

  /// `stores`: true for one caller per line.
  KOKKOS_FORCEINLINE_FUNCTION T factor_of(Index i, T value, bool stores, int column = 0) const {
    if (stores) column_of(y, column).set(i, value);
    return factor(i, value);
  }
};

/// 32-bit counters save registers.
struct LinesLeft {
  int panel_lines;
  int of_group;
  int of_panel;

  KOKKOS_FORCEINLINE_FUNCTION LinesLeft(int lines_of_panel, int lines_of_group)
      : panel_lines(lines_of_panel),
        of_group(lines_of_group),
        of_panel(Kokkos::min(lines_of_panel, lines_of_group)) {}
  KOKKOS_FORCEINLINE_FUNCTION int take(int most) {
    int const taken = Kokkos::min(most, of_panel);
    of_group -= taken;
    of_panel -= taken;
    return taken;
  }
  KOKKOS_FORCEINLINE_FUNCTION void take() {
    --of_group;
    --of_panel;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool ends_panel() const { return of_panel == 0; }
  KOKKOS_FORCEINLINE_FUNCTION void begin_panel() { of_panel = Kokkos::min(panel_lines, of_group); }
};

}  // namespace tessera::detail::gpu
