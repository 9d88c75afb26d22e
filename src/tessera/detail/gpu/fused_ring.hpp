// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <tessera/detail/gpu/fused_plan.hpp>

namespace tessera::detail::gpu {

/// Longer lines that can be read word by word, on devices with bulk copies and clusters: a team has
/// a panel, or Teams teams of a cluster, each with its share of the columns. Each warp has its
/// piece of the next lines copied to a ring of Slots in scratch: as soon as it holds a piece in
/// registers one thread has the next one copied to the same slot, so that a slot waits for no dot
/// product. Sums of panels that are done wait in scratch too, as far as there is room: what is
/// written to memory instead costs many times what it costs to read as much.
///
/// The warps of one team leave their dot products in its scratch and meet at its barrier. Those of
/// a cluster send theirs to each team's scratch, where arrivals are told; nothing else makes them
/// wait for each other. A warp sends for line i + 2 when it has had all of line i + 1, which each
/// warp has sent after it had used those of line i: two places are enough. (Backends have the
/// figures beside their choice.)
template <class Exec, class T, int Slots, int Teams>
struct FusedRing {
  using Warp = WarpOf<Exec>;
  using Plan = FusedLinesPlan<Exec, T>;
  using Arrival = typename Warp::Arrival;
  static constexpr int chunks = Plan::ring_chunks;
  static constexpr int words = chunks * segment_words;
  static constexpr int warp_words = words * warp_threads;
  static constexpr int whole_piece = chunks * chunk<T>;  ///< elements of a line that a warp has
  static constexpr int part_words = Plan::RingStack::part;
  static constexpr int sums = Plan::ring_sums;
  static constexpr int dots = Plan::ring_dots(Teams);
  static constexpr int dots_per_lane = dots / warp_threads;
  static_assert(dots_per_lane <= 2 && (sums & (sums - 1)) == 0);
  FusedArguments<Exec, T> a;
  int scratch_parts;  ///< of the threads' stacks
  int warps;          ///< of a team
  int tree_lanes;     ///< lanes that add up the dot products of all warps, a power of two
  bool x_is_aligned;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    Place const place = Place::of_unsigned(member);
    int const team_size = warps * warp_threads;
    int part = 0;
    if constexpr (Teams > 1) part = member.cluster_rank();
    int const warp = part * warps + place.warp;  // of those that share a line
    Index const length = a.lines.length;
    Index const piece = static_cast<Index>(warp) * whole_piece;  // the warp's first column
    Index const column =
        piece + place.half * summation::segment<T> + thread_offset<T, true>(place.part);
    int const rest = rest_of_line(length, column);
    int const piece_length = Kokkos::min(rest_of_line(length, piece), int{whole_piece});

    auto* const sWords = reinterpret_cast<Word<T>*>(team_scratch<T>(member, 0, a.scratch));
    int const line_words = words * team_size;
    // (Slots, warps, warp_words); (scratch_parts, part_words, team_size)
    Word<T>* const sPiece = sWords + place.warp * warp_words;
    Word<T> const* const sOwn = sPiece + place.half * segment_words * segment_threads + place.part;
    Word<T>* const sStack = sWords + Slots * line_words + place.thread;
    T* const sDot =  // (sums, dots)
        reinterpret_cast<T*>(sWords + Slots * line_words + scratch_parts * part_words * team_size);
    auto* const sArrival =  // (warps, Slots)
        reinterpret_cast<Arrival*>(sDot + sums * dots) + place.warp * Slots;
    auto* const sReady =  // (sums): what the cluster's teams send
        reinterpret_cast<Arrival*>(sDot + sums * dots) + warps * Slots;
    for (int t = place.thread; t < sums * dots; t += team_size) sDot[t] = T(0);
    if (piece_length < whole_piece) {  // nothing is ever copied behind the end of lines
      for (int s = 0; s < Slots; ++s) {
        for (int t = place.lane; t < warp_words; t += warp_threads) {
          sPiece[s * line_words + t] = Word<T>{};
        }
      }
    }
    if (place.lane == 0) Warp::expect_arrivals(sArrival, Slots);
    Warp::sync();
    int const bytes_of_dots = Teams * warps * static_cast<int>(sizeof(T));
    if constexpr (Teams == 1) {
      member.team_barrier();
    } else {
      if (place.thread == 0) {
        Warp::expect_arrivals(sReady, sums);
        for (int k = 0; k < sums; ++k) Warp::expect_bytes(sReady + k, bytes_of_dots);
      }
      member.cluster_barrier();
    }

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
    int const words_in_memory = a.levels * words - scratch_parts * part_words;
    typename Plan::RingStack const stack{
        a.stacks + rank * words_in_memory * team_size + place.thread, team_size, sStack,
        scratch_parts};

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
    static_for<Slots>([&](auto) { copy_next(); });

    /// The warp's part of the dot product of a line that it holds.
    auto const dot = [&](Word<T> const* held) {
      T value = T(0);
      static_for<chunks>([&](auto c) {
        constexpr int start = c() * segment_words;
        T segments = segment_dot<Warp, true, segment_words>(held + start, rX + start, place.part);
        segments += Warp::shuffle_xor(segments, segment_threads);
        value = c() == 0 ? segments : value + segments;
      });
      return value;
    };

    typename Warp::Remote to_dots = 0;  // of the cluster's team number `lane`
    typename Warp::Remote to_ready = 0;
    if constexpr (Teams > 1) {
      if (place.lane < Teams) {
        to_dots = Warp::of_cluster(sDot + warp, place.lane);
        to_ready = Warp::of_cluster(sReady, place.lane);
      }
    }
    unsigned line = 0;  // of the group
    /// The dot product of the line, from this warp's part.
    auto const exchange = [&](T value) {
      unsigned const sum = line % sums;
      T* const sSums = sDot + sum * dots;
      if constexpr (Teams == 1) {
        if (place.lane == 0) sSums[warp] = value;
        member.team_barrier();
      } else {
        if (place.lane < Teams) {
          Warp::send(to_dots + sum * unsigned{dots * sizeof(T)}, value,
                     to_ready + sum * unsigned{sizeof(Arrival)});
        }
        Warp::wait_for_arrival(sReady + sum, line / sums % 2);
      }
      T const* const sPair = sSums + (place.lane & (tree_lanes - 1)) * dots_per_lane;
      if constexpr (dots_per_lane == 1) {
        value = sPair[0];
      } else {
        value = sPair[0] + sPair[1];
      }
      value = tree_over_threads<Warp>(value, tree_lanes) + T(0);
      if (Teams > 1 && place.thread == 0) Warp::expect_bytes(sReady + sum, bytes_of_dots);
      ++line;
      return value;
    };

    PerLine<Word<T>, words> rC{};
    int slot = 0;
    unsigned round = 0;  // through the slots
    for (; left > 0; --left) {
      if (piece_length > 0) Warp::wait_for_arrival(sArrival + slot, round % 2);
      PerLine<Word<T>, words> rA;
      static_for<words>([&](auto k) { rA[k()] = sOwn[slot * line_words + place_of(k())]; });
      if (++slot == Slots) {
        slot = 0;
        ++round;
      }
      Warp::sync();  // all hold the piece
      copy_next();   // to its slot
      T const value = exchange(dot(rA));
      if (place.thread == 0 && part == 0) a.y.set(last - left, value);
      static_for<words>([&](auto k) { multiply_add(value, rA[k()], rC[k()]); });
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
};

}  // namespace tessera::detail::gpu
