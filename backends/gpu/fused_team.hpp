// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <Kokkos_Core.hpp>

#include <tessera/backends/gpu/fused_plan.hpp>
#include <tessera/backends/gpu/narrow_words.hpp>

namespace tessera::detail::gpu {

/// Holds longer lines in registers: a panel per team, Spans spans per warp, Rows lines per step.
/// With two Buffers the next step is loaded meanwhile. If lines need all registers, x is read again
/// from cache.
template <class Exec, class T, bool Aligned, int Spans, int Rows, int Buffers, class Factor,
          class Data = T const*>
struct FusedTeam {
  using Warp = WarpOf<Exec>;
  static constexpr int words = Spans * segment_words;
  static constexpr bool keeps_x = Spans == 1;
  FusedArguments<Exec, T, Factor, Data> a;

  template <class WordOfLine>
  struct LineOf {
    PerLine<WordOfLine, words> word;
  };
  using Line = LineOf<Word<T>>;
  using Loaded = PerLine<LineOf<Stored<Data>>, Rows>;

  template <class Team>
  KOKKOS_FUNCTION void operator()(Team const& member) const {
    Place const place = Place::of(member);
    int const team_size = member.team_size();
    int const warps = team_size / warp_threads;
    int const tree_warps = 1 << (32 - Kokkos::countl_zero(static_cast<unsigned>(warps - 1)));
    Index const length = a.lines.length;
    Index const column =
        (static_cast<Index>(place.warp) * Spans * 2 + place.half) * summation::segment<T> +
        thread_offset<T, Aligned>(place.part);
    int const rest = rest_of_line(length, column);
    T* const sDot = team_scratch<T>(member, 0, a.scratch);  // (2, Rows, warp_threads)
    for (Index t = place.thread; t < a.scratch; t += team_size) sDot[t] = T(0);
    member.team_barrier();

    Line rX;
    if constexpr (keeps_x) load_x(rX, column, rest);
    WordStack<words, T> const stack{
        a.stacks + member.league_rank() * static_cast<Index>(a.levels) * words * team_size +
            place.thread,
        team_size};

    Index const group = member.league_rank();
    int const panel_lines = static_cast<int>(a.panels.lines);
    Index const first = group * a.panels_per_worker * panel_lines;
    Index const last = Kokkos::min(a.lines.count, first + a.panels_per_worker * panel_lines);
    LinesLeft left(panel_lines, static_cast<int>(last - first));
    LinesLeft to_load = left;
    int const panels = (left.of_group + panel_lines - 1) / panel_lines;
    int panel = 0;
    Data line = a.lines.line(first) + column;
    int buffer = 0;

    Line rC{};
    auto const load_lines = [&](Loaded& rA) {
      static_for<Rows>([&](auto r) {
        load(rA[r()], line + r() * a.lines.leading, r() < to_load.of_panel ? rest : 0, Once{});
      });
      line = line + to_load.take(Rows) * a.lines.leading;
      if (to_load.ends_panel()) to_load.begin_panel();
    };
    auto const use = [&](Loaded& loaded) {
      PerLine<Line, Rows> space;
      PerLine<Line, Rows>& rA = in_scalars(loaded, space);
      T* const sums = sDot + buffer * Rows * warp_threads;
      buffer ^= 1;
      static_for<Rows>([&](auto r) {
        T const value = dot(rA[r()], rX, column, rest, place.part);
        if (place.lane == 0) sums[r() * warp_threads + place.warp] = value;
      });
      member.team_barrier();
      static_for<Rows>([&](auto r) {
        T value = sums[r() * warp_threads + (place.lane & (tree_warps - 1))];
        value = tree_over_threads<Warp>(value, tree_warps) + T(0);
        if (r() < left.of_panel) {
          value = a.factor_of(last - left.of_group + r(), value, place.thread == 0);
          static_for<words>([&](auto k) { multiply_add(value, rA[r()].word[k()], rC.word[k()]); });
        }
      });
      left.take(Rows);
      if (!left.ends_panel()) return true;
      stack.push(rC.word, panel++, panels);
      left.begin_panel();
      return left.of_group > 0;
    };
    Loaded now;
    if constexpr (Buffers == 1) {
      do {
        load_lines(now);
      } while (use(now));
    } else {
      Loaded next;
      load_lines(now);
      for (;;) {
        load_lines(next);
        if (!use(now)) break;
        load_lines(now);
        if (!use(next)) break;
      }
    }
    static_for<Spans>([&](auto c) {
      static_for<segment_words>([&](auto k) {
        store_partial<Aligned>(a.partials + group * length, a.groups == 1, a.out, column,
                               c() * span<T> + k() * summation::lanes<T>, rest,
                               rC.word[c() * segment_words + k()]);
      });
    });
  }

 private:
  /// The lines themselves, or `space` with the narrow ones.
  KOKKOS_FORCEINLINE_FUNCTION PerLine<Line, Rows>& in_scalars(Loaded& loaded,
                                                              PerLine<Line, Rows>& space) const {
    if constexpr (std::is_pointer_v<Data>) {
      return loaded;
    } else {
      static_for<Rows>([&](auto r) {
        static_for<words>([&](auto k) {
          space[r()].word[k()] = scalars_of(loaded[r()].word[k()], a.lines.data);
        });
      });
      return space;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void load_x(Line& rX, Index column, int rest) const {
    static_for<Spans>([&](auto c) {
      constexpr int begin = c() * span<T>;
      load_vector<Warp, Aligned, segment_words, Data>(rX.word + c() * segment_words,
                                                      a.x + column + begin, rest - begin);
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION static void load(auto& line, auto from, int rest, auto how) {
    static_for<Spans>([&](auto c) {
      constexpr int begin = c() * span<T>;
      load_words<Warp, Aligned, segment_words>(line.word + c() * segment_words, from + begin,
                                               rest - begin, how);
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION T dot(Line const& line, Line const& rX, Index column, int rest,
                                    int part) const {
    T value = T(0);
    static_for<Spans>([&](auto c) {
      Word<T> lanes{};
      static_for<segment_words>([&](auto k) {
        constexpr int word = c() * segment_words + k();
        constexpr int offset = c() * span<T> + k() * summation::lanes<T>;
        if constexpr (keeps_x) {
          multiply_add(line.word[word], rX.word[word], lanes);
        } else {
          multiply_add(line.word[word],
                       load_word<Warp, Aligned>(a.x + column, offset, rest, Constant{}), lanes);
        }
      });
      T segments = tree_over_lanes<Warp, Aligned>(lanes, part);
      segments += Warp::shuffle_xor(segments, segment_threads);
      value = c() == 0 ? segments : value + segments;
    });
    return value;
  }
};

}  // namespace tessera::detail::gpu
