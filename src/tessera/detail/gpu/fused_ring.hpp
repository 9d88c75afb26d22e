// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/detail/gpu/fused_plan.hpp>

namespace tessera::detail::gpu {

/// Longer lines that can be read word by word, on devices with bulk copies and clusters: a team has
/// a panel, or two teams of a cluster, each with a half of its columns. Each warp keeps its piece
/// of the next lines in a ring of Slots in scratch; one thread has the next piece copied when the
/// warp has used up the oldest. Sums of panels that are done wait in scratch too, as far as there
/// is room. Two teams publish their warps' part of a dot product in each other's scratch, and use
/// the line before while that is under way.
///
/// Slots, microseconds on an H200 (more of them in flight are not served evenly):
///   8192 x 8192: 2 72.9, 3 71.2, 4 72.1, 6 79.6;         10240 x 10240: 2 106.8, 3 107.9, 4 116.9;
///   16384 x 16384: 2 268, 3 289;                         double 65536 x 4096: 2 479, 3 474, 6 500;
///   two teams, double 10240 x 10240: 2 262, 3 256; one team of 20 warps: 323;
///   65536 x 4096, two teams side by side: 2 252.3, 3 256.7, 4 257.5; one: 4 271.6;
///   65536 x 3072, three: 2 196.3, 3 201.4; two: 3 237.9.
/// As FusedTeam and FusedParts: 73.0, 115, 277; double 492, 312; 255.5, 245.7.
template <class Exec, class T, int Slots, int Teams>
struct FusedRing {
  using Warp = WarpOf<Exec>;
  using Plan = FusedLinesPlan<Exec, T>;
  using Arrival = typename Warp::Arrival;
  static constexpr int chunks = Plan::ring_chunks;
  static constexpr int words = chunks * segment_words;
  static constexpr int warp_words = words * warp_threads;
  static constexpr int whole_piece = chunks * chunk<T>;  ///< elements of a line that a warp has
  static constexpr int sums = Plan::ring_sums;
  static_assert(Teams * Plan::ring_team <= warp_threads * warp_threads);
  FusedArguments<Exec, T> a;
  int scratch_levels;
  bool x_is_aligned;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    Place const place = Place::of(member);
    int const team_size = member.team_size();
    int const warps = team_size / warp_threads;
    int part = 0;
    if constexpr (Teams > 1) part = member.cluster_rank();
    int const warp = part * warps + place.warp;  // of those that share a line
    int const tree_warps =
        1 << (32 - Kokkos::countl_zero(static_cast<unsigned>(Teams * warps - 1)));
    Index const length = a.lines.length;
    Index const piece = static_cast<Index>(warp) * whole_piece;  // the warp's first column
    Index const column =
        piece + place.half * summation::segment<T> + thread_offset<T, true>(place.part);
    int const rest = rest_of_line(length, column);
    int const piece_length = Kokkos::min(rest_of_line(length, piece), int{whole_piece});

    auto* const sWords = reinterpret_cast<Word<T>*>(team_scratch<T>(member, 0, a.scratch));
    int const line_words = words * team_size;
    // (Slots, warps, warp_words); (scratch_levels, words, team_size)
    Word<T>* const sPiece = sWords + place.warp * warp_words;
    Word<T> const* const sOwn = sPiece + place.half * segment_words * segment_threads + place.part;
    Word<T>* const sStack = sWords + Slots * line_words + place.thread;
    T* const sDot =  // (sums, warp_threads)
        reinterpret_cast<T*>(sWords + (Slots + scratch_levels) * line_words);
    auto* const sArrival =  // (warps, Slots)
        reinterpret_cast<Arrival*>(sDot + sums * warp_threads) + place.warp * Slots;
    for (int t = place.thread; t < sums * warp_threads; t += team_size) sDot[t] = T(0);
    if (piece_length < whole_piece) {  // nothing is ever copied behind the end of lines
      for (int s = 0; s < Slots; ++s) {
        for (int t = place.lane; t < warp_words; t += warp_threads) {
          sPiece[s * line_words + t] = Word<T>{};
        }
      }
    }
    if (place.lane == 0) Warp::expect_arrivals(sArrival, Slots);
    Warp::sync();
    meet(member);

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
    Index const rank = member.league_rank();
    Index const group = rank / Teams;
    WordStack<words, T> const stack{
        a.stacks + rank * (a.levels - scratch_levels) * line_words + place.thread, team_size,
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
    T const* next = a.lines.line(first) + piece;  // to copy
    int slot_to_fill = 0;
    auto const copy_next = [&] {
      if (to_copy > 0 && piece_length > 0 && place.lane == 0) {
        Warp::copy_piece(sPiece + slot_to_fill * line_words, next,
                         piece_length * static_cast<int>(sizeof(T)), sArrival + slot_to_fill);
      }
      next += a.lines.leading;
      --to_copy;
      slot_to_fill = slot_to_fill + 1 == Slots ? 0 : slot_to_fill + 1;
    };
    static_for<Slots - 1>([&](auto) { copy_next(); });

    int slot_to_come = 0;
    unsigned round = 0;  // through the slots
    auto const dot_of_next = [&] {
      if (piece_length > 0) Warp::wait_for_arrival(sArrival + slot_to_come, round % 2);
      Word<T> const* const sLine = sOwn + slot_to_come * line_words;
      if (++slot_to_come == Slots) {
        slot_to_come = 0;
        ++round;
      }
      T value = T(0);
      static_for<chunks>([&](auto c) {
        Word<T> lanes{};
        static_for<segment_words>([&](auto k) {
          constexpr int word = c() * segment_words + k();
          multiply_add(sLine[place_of(word)], rX[word], lanes);
        });
        T segments = tree_over_lanes<Warp, true>(lanes, place.part);
        segments += Warp::shuffle_xor(segments, segment_threads);
        value = c() == 0 ? segments : value + segments;
      });
      return value;
    };
    T* sPublic = sDot + warp;
    if constexpr (Teams > 1) {
      if (place.lane < Teams) sPublic = member.of_cluster(sPublic, place.lane);
    }
    auto const publish = [&](T value, int buffer) {
      if (place.lane < Teams) sPublic[buffer * warp_threads] = value;
    };
    if constexpr (Teams > 1) {
      publish(dot_of_next(), 0);
      meet(member);
    }

    PerLine<Word<T>, words> rC{};
    int slot = 0;
    int buffer = 0;
    for (; left > 0; --left) {
      copy_next();  // to the slot that the line before has left
      T const* const sSums = sDot + buffer * warp_threads;
      if constexpr (Teams == 1) {
        publish(dot_of_next(), buffer);
        meet(member);
      }
      buffer = sums - 1 - buffer;
      if constexpr (Teams > 1) {
        if (left > 1) publish(dot_of_next(), buffer);
      }
      T value = sSums[place.lane & (tree_warps - 1)];
      value = tree_over_threads<Warp>(value, tree_warps) + T(0);
      if (place.thread == 0 && part == 0) a.y.set(last - left, value);
      Word<T> const* const sLine = sOwn + slot * line_words;
      slot = slot + 1 == Slots ? 0 : slot + 1;
      static_for<words>([&](auto k) { multiply_add(value, sLine[place_of(k())], rC[k()]); });
      Warp::sync();  // all have used the piece
      if constexpr (Teams > 1) {
        if (left > 1) meet(member);
      }
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
  /// The same in words.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int place_of(int word) {
    return offset_of(word) / word_width<T>;
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static void meet(Team const& member) {
    if constexpr (Teams == 1) {
      member.team_barrier();
    } else {
      member.cluster_barrier();
    }
  }
};

}  // namespace tessera::detail::gpu
