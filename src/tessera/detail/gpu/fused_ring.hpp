// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/detail/gpu/fused_plan.hpp>

namespace tessera::detail::gpu {

/// Lines that a team shares, as in FusedTeam, on devices with large scratch and for lines that can
/// be read word by word: a ring of lines in scratch. While a line is used the next ones are being
/// copied; a thread copies the words that it uses, and waits for nobody else's. Sums of panels that
/// are done wait in scratch too, as far as there is room.
///
/// In registers | as a ring, microseconds on an H200: 8192 x 8192 75 | 71, 10240 x 10240 117 | 109,
/// double 65536 x 4096 506 | 483. Where the sums find no room it is no faster (16384 x 16384: 283 |
/// 289), nor for shorter lines (4096 x 4096: 24.5 | 26.8, with the ring that was best).
template <class Exec, class T>
struct FusedRing {
  using Warp = WarpOf<Exec>;
  using Plan = FusedLinesPlan<Exec, T>;
  static constexpr int slots = Plan::ring_slots;
  static constexpr int chunks = Plan::ring_chunks;
  static constexpr int words = chunks * segment_words;
  FusedArguments<Exec, T> a;
  int scratch_levels;
  bool x_is_aligned;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    Place const place = Place::of(member);
    int const team_size = member.team_size();
    int const warps = team_size / warp_threads;
    int const tree_warps = 1 << (32 - Kokkos::countl_zero(static_cast<unsigned>(warps - 1)));
    Index const length = a.lines.length;
    Index const column =
        (static_cast<Index>(place.warp) * chunks * 2 + place.half) * summation::segment<T> +
        thread_offset<T, true>(place.part);
    int const rest = rest_of_line(length, column);
    int const line_words = words * team_size;
    // (slots, words, team_size), (scratch_levels, words, team_size): the thread's own
    auto* const sRing =
        reinterpret_cast<Word<T>*>(team_scratch<T>(member, 0, a.scratch)) + place.thread;
    Word<T>* const sStack = sRing + slots * line_words;
    T* const sDot =  // (2, warp_threads)
        reinterpret_cast<T*>(sStack + scratch_levels * line_words - place.thread);
    for (int t = place.thread; t < 2 * warp_threads; t += team_size) sDot[t] = T(0);
    member.team_barrier();

    PerLine<Word<T>, words> rX{};
    static_for<words>([&](auto k) {
      constexpr int offset = offset_of(k());
      if (x_is_aligned) {
        if (offset < rest) rX[k()] = load_whole<Warp>(a.x + column + offset, Constant{});
      } else {
        static_for<word_width<T>>([&](auto e) {
          if (offset + e() < rest) {
            rX[k()].e[e()] = Warp::load_constant(a.x + column + offset + e());
          }
        });
      }
    });
    Index const group = member.league_rank();
    WordStack<words, T> const stack{
        a.stacks + group * (a.levels - scratch_levels) * line_words + place.thread, team_size,
        sStack, scratch_levels};

    // 32-bit counters of lines, which leave registers to the lines themselves.
    int const panel_lines = static_cast<int>(a.panels.lines);
    Index const first = group * a.panels_per_worker * panel_lines;
    Index const last = Kokkos::min(a.lines.count, first + a.panels_per_worker * panel_lines);
    int left = static_cast<int>(last - first);           // lines of the group
    int left_of_panel = Kokkos::min(panel_lines, left);  // of the panel
    int const panels = (left + panel_lines - 1) / panel_lines;
    int panel = 0;
    int to_copy = left;
    T const* line = a.lines.line(first) + column;  // the next to copy
    int slot_to_fill = 0;
    auto const copy_line = [&] {
      if (to_copy > 0) {
        static_for<words>([&](auto k) {
          constexpr int offset = offset_of(k());
          Warp::copy_ahead(sRing + slot_to_fill * line_words + k() * team_size,
                           reinterpret_cast<Word<T> const*>(line + offset), offset < rest);
        });
      }
      Warp::end_of_copies();
      line += a.lines.leading;
      --to_copy;
      slot_to_fill = slot_to_fill + 1 == slots ? 0 : slot_to_fill + 1;
    };
    static_for<slots - 1>([&](auto) { copy_line(); });

    PerLine<Word<T>, words> rC{};
    int slot = 0;
    int buffer = 0;
    for (; left > 0; --left) {
      Warp::template wait_for_copies<slots - 2>();
      copy_line();  // to the slot that the line before has left
      Word<T> const* const sLine = sRing + slot * line_words;
      slot = slot + 1 == slots ? 0 : slot + 1;
      T* const sums = sDot + buffer * warp_threads;
      buffer ^= 1;
      T value = T(0);
      static_for<chunks>([&](auto c) {
        Word<T> lanes{};
        static_for<segment_words>([&](auto k) {
          constexpr int word = c() * segment_words + k();
          multiply_add(sLine[word * team_size], rX[word], lanes);
        });
        T segments = tree_over_lanes<Warp, true>(lanes, place.part);
        segments += Warp::shuffle_xor(segments, segment_threads);
        value = c() == 0 ? segments : value + segments;
      });
      if (place.lane == 0) sums[place.warp] = value;
      member.team_barrier();
      value = sums[place.lane & (tree_warps - 1)];
      value = tree_over_threads<Warp>(value, tree_warps) + T(0);
      if (place.thread == 0) a.y.set(last - left, value);
      static_for<words>([&](auto k) { multiply_add(value, sLine[k() * team_size], rC[k()]); });
      if (--left_of_panel > 0) continue;
      stack.push(rC, panel++, panels);
      left_of_panel = Kokkos::min(panel_lines, left - 1);
    }
    static_for<words>([&](auto k) {
      store_partial<true>(a.partials + group * length, a.groups == 1, a.out, column, offset_of(k()),
                          rest, rC[k()]);
    });
  }

 private:
  /// Of a thread's word in its warp's chunks.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int offset_of(int word) {
    return word / segment_words * chunk<T> + word % segment_words * summation::lanes<T>;
  }
};

}  // namespace tessera::detail::gpu
